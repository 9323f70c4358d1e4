import type { NewEvent } from '@aizuchi/shared/core/memory/memory-store';
import { storeEvents } from '@aizuchi/shared/core/memory/memory-store';
import { indexDocument } from '@aizuchi/shared/core/memory/rules/index-terms';
import type { Database } from '@aizuchi/shared/platform/db/database';
import { LANGUAGES, readConversation, type Turn } from './conversation.ts';

const BATCH = 500;
const CHUNK = 200;
const YEAR_MS = 365 * 86_400_000;
const BEGIN = Date.UTC(2025, 0, 1);
/** Turns of a thread. */
const THREAD = 20;

export async function addAgent(database: Database, id: string): Promise<void> {
  await database.pool.query(
    `insert into agents (id, type, name, provider) values ($1, 'ai', $1, 'builtin') on conflict do nothing`,
    [id],
  );
}

/** The turns as they would be imported, in their order. */
export async function storeTurns(database: Database, agentId: string, turns: readonly Turn[]): Promise<void> {
  const events = turns.map(
    ({ ref, threadId, actor, text, createdAt }): NewEvent => ({
      projectId: null,
      clientId: actor,
      threadId,
      source: 'import',
      sourceRef: ref,
      actor,
      userText: text,
      assistantState: 'complete',
      createdAt,
    }),
  );
  for (let at = 0; at < events.length; at += BATCH)
    await database.transaction((tx) => storeEvents(tx, agentId, events.slice(at, at + BATCH)));
}

/** Turns over a year that are put together from the conversations, two languages by turns, always the same. */
export function* madeTurns(count: number): Generator<Turn> {
  const random = randomNumbers(42);
  const lines = LANGUAGES.map((language) => readConversation(language).turns);
  for (let index = 0; index < count; index += 1) {
    const thread = Math.floor(index / THREAD);
    const of = lines[thread % lines.length] ?? [];
    const line = () => of[Math.floor(random() * of.length)];
    // A number makes each turn different, and gives words that few turns hold.
    const [first, second] = [line(), line()];
    const text = `${first?.text} ${random() < 0.3 ? second?.text : ''} ${Math.floor(random() * 20_000) + 3_000}`;
    const createdAt = new Date(BEGIN + (YEAR_MS * index) / count);
    yield { ref: `made-${index}`, threadId: `made-${thread}`, actor: first?.actor ?? '', text, createdAt };
  }
}

/**
 * Copies the memory of one agent to others, up to so many events in all: the terms of another agent are the same with
 * another constant (see index-terms.ts). The index is made at the end: row by row it would take an hour.
 */
export async function copyMemory(database: Database, from: string, agents: readonly string[]): Promise<void> {
  const hashOf = (agentId: string) =>
    indexDocument({ agentId, createdAt: new Date(Number.NaN), texts: ['a1b'] }).terms[0] ?? 0;
  const run = (text: string, values: unknown[] = []) => database.pool.query(text, values);
  const { rows: indexes } = await run(
    `select pg_get_indexdef('memory_documents_terms_idx'::regclass) as text`,
  );
  await run('drop index memory_documents_terms_idx');
  for (const agentId of agents) await addAgent(database, agentId);
  const { rows } = await run('select min(id)::int as first, max(id)::int as last from memory_documents');
  // The agents by turns, as their events would have come: those of one stand scattered over the table.
  for (let first = rows[0].first; first <= rows[0].last; first += CHUNK)
    for (const agentId of agents)
      await run(
        `with copied as (
          insert into memory_events (id, agent_id, client_id, thread_id, source, source_ref, actor, user_text,
            assistant_state, created_at)
          select e.id || $2, $2, client_id, thread_id, source, source_ref, actor, user_text, assistant_state, e.created_at
          from memory_documents d join memory_events e on e.id = d.event_id
          where d.agent_id = $1 and d.id >= $4 and d.id < $5 order by d.id)
        insert into memory_documents (event_id, agent_id, created_at, length, terms)
        select event_id || $2, $2, created_at, length, array(select t # $3::int from unnest(terms) t)
        from memory_documents where agent_id = $1 and id >= $4 and id < $5 order by id`,
        [from, agentId, hashOf(from) ^ hashOf(agentId), first, first + CHUNK],
      );
  await run(`set maintenance_work_mem = '512MB'`);
  await run(indexes[0].text);
  await run('vacuum analyze memory_documents');
  await run('vacuum analyze memory_events');
}

/** Numbers from 0 to 1, always the same (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
  };
}
