import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { completeEvent } from '../../src/core/memory/memory-store.ts';
import { MemoryRetrieval } from '../../src/core/memory/retrieval/memory-retrieval.ts';
import { unitVector } from '../../src/core/memory/rules/vectors.ts';
import type { NearestInput } from '../../src/core/memory/vectors/nearest.ts';
import { NEAREST } from '../../src/core/memory/vectors/pgvector-queries.ts';
import { PgvectorSearch } from '../../src/core/memory/vectors/pgvector-search.ts';
import { ShardQueries } from '../../src/core/memory/vectors/shard-queries.ts';
import { Shards } from '../../src/core/memory/vectors/shards.ts';
import { VectorSearch } from '../../src/core/memory/vectors/vector-search.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { openDatabase } from '../../src/platform/db/database.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { createTestDatabase } from '../../src/testing/test-database.ts';
import { LONG_TIMEOUT_MS } from '../../src/testing/timeouts.ts';
import { PgvectorWorld, randomVector } from './pgvector-support.ts';
import { found, meaningOf } from './vector-support.ts';

/* The search in SQL finds what the search in memory finds, and is used when everything is there only. */

const HELD = 'memory_pgvector_1';
const DAY_MS = 86_400_000;
const BEGIN = Date.parse('2026-01-01T00:00:00Z');

let world: PgvectorWorld;
beforeAll(async () => {
  world = await PgvectorWorld.create();
});
beforeEach(() => world.reset());
afterAll(() => world.close());

function input(agentId: string, more: Partial<NearestInput> & { text?: string } = {}): NearestInput {
  const { text = 'question', ...given } = more;
  const query = unitVector(randomVector(text));
  if (!query) throw new Error('no vector');
  return { agentId, model: 'model-a', projectId: undefined, asOf: null, query, limit: 10, ...given };
}

/** By the one search, and by the other. */
async function bySqlAndMemory(asked: NearestInput, search: PgvectorSearch) {
  const exact = new Shards(new ShardQueries(world.database));
  const sql = await search.nearest(asked, world.database);
  return { sql: sql.items, memory: (await exact.nearest(asked)).items };
}

async function openedSearch(): Promise<PgvectorSearch> {
  const copy = world.copy();
  expect(await copy.runOnce()).toBe('whole');
  return new PgvectorSearch(copy);
}

/** Events and states of an agent on so many days, in two projects and in general. */
async function fill(agentId: string, projects: readonly (string | null)[], days: number) {
  const texts = Array.from({ length: days }, (_, day) => ({
    userText: `${agentId} said on day ${day}`,
    createdAt: new Date(BEGIN + day * DAY_MS),
    projectId: projects[day % projects.length] ?? null,
  }));
  const events = await world.events(agentId, texts);
  for (const [day, projectId] of projects.entries()) {
    const at = new Date(BEGIN + day * DAY_MS);
    await world.state(agentId, { bodyText: `${agentId} knows ${day}`, projectId, at });
    await world.state(agentId, { bodyText: `${agentId} knew ${day}`, projectId, at, validTo: at });
  }
  return events;
}

it('finds the same in the same order, whatever may be seen and whatever became of it', async () => {
  const projects = [await world.project(), await world.project(), null];
  const agents = [await world.agent(), await world.agent()];
  const stored: string[][] = [];
  for (const agentId of agents) stored.push(await fill(agentId, projects, 60));
  await world.embed();
  const search = await openedSearch();
  // After the copy: new, written anew, and deleted.
  for (const agentId of agents) await world.events(agentId, [{ userText: `${agentId} said later` }]);
  const [anew, outdated, ...gone] = stored[0]?.slice(0, 12) ?? [];
  const write = (id = '', assistantText = '') =>
    world.database.transaction((tx) => completeEvent(tx, id, { assistantText, assistantState: 'complete' }));
  await write(anew, 'with a reply');
  await world.embed();
  await world.database.pool.query('delete from memory_events where id = any($1)', [gone]);
  await world.database.pool.query('update memory_documents set text_seq = default where event_id = $1', [
    outdated,
  ]);
  expect(await world.count(HELD)).toBe(await world.count('memory_vectors'));
  for (const agentId of agents)
    for (const projectId of [undefined, ...projects])
      for (const asOf of [null, BEGIN + 20 * DAY_MS])
        for (const limit of [1, 7, 100]) {
          const asked = input(agentId, { projectId, asOf, limit, text: `question ${limit}` });
          const { sql, memory } = await bySqlAndMemory(asked, search);
          expect(sql).toEqual(memory);
          expect(sql.length).toBeGreaterThan(0);
          expect(sql).not.toContain(outdated);
        }
});

it('what is outdated takes no place', async () => {
  const agentId = await world.agent();
  const ids = await world.events(
    agentId,
    Array.from({ length: 8 }, (_, n) => ({ userText: `said ${n}` })),
  );
  await world.embed();
  const search = await openedSearch();
  const all = (await search.nearest(input(agentId), world.database)).items;
  expect(all).toHaveLength(ids.length);
  const outdated = all.slice(0, 3);
  await world.database.pool.query('update memory_documents set text_seq = default where event_id = any($1)', [
    outdated,
  ]);
  const { items } = await search.nearest(input(agentId, { limit: 2 }), world.database);
  expect(items).toEqual(all.slice(3, 5));
});

it('is used when the copy is whole only; one that was interrupted goes on where it was', async () => {
  const agentId = await world.agent();
  await world.events(
    agentId,
    Array.from({ length: 30 }, (_, n) => ({ userText: `said ${n}` })),
  );
  await world.embed();
  const first = world.copy({ batch: 4 });
  const search = new PgvectorSearch(first);
  expect((await search.nearest(input(agentId), world.database)).isTooLarge).toBe(true);
  // As if it had died after some batches.
  expect(await world.copy({ batch: 4 }).runOnce()).toBe('whole');
  await world.database.pool.query(
    `delete from ${HELD} where document_id in (select document_id from ${HELD} order by 1 desc limit 17)`,
  );
  expect((await search.nearest(input(agentId), world.database)).isTooLarge).toBe(true);
  expect(await first.runOnce()).toBe('whole');
  expect(await world.count(HELD)).toBe(30);
  const { sql, memory } = await bySqlAndMemory(input(agentId), search);
  expect(sql).toEqual(memory);
});

it('a copy that is stopped is not whole', async () => {
  const agentId = await world.agent();
  await world.events(agentId, [{ userText: 'said' }]);
  await world.embed();
  const copy = world.copy();
  await copy.stop();
  expect(await copy.runOnce()).toBe('stopped');
  expect([copy.isWhole, await world.count(HELD)]).toEqual([false, 0]);
});

it('two that copy and one that embeds at once leave everything once', async () => {
  const agentId = await world.agent();
  await world.events(
    agentId,
    Array.from({ length: 100 }, (_, n) => ({ userText: `said ${n}` })),
  );
  await world.embed();
  await world.events(
    agentId,
    Array.from({ length: 100 }, (_, n) => ({ userText: `said later ${n}` })),
  );
  const copies = [world.copy({ batch: 5 }), world.copy({ batch: 7 })];
  const [ends] = await Promise.all([Promise.all(copies.map((copy) => copy.runOnce())), world.embed()]);
  expect(ends).toEqual(['whole', 'whole']);
  expect(await world.count(HELD)).toBe(200);
});

it('another model replaces the vectors, also of another length', async () => {
  const agentId = await world.agent();
  await world.events(agentId, [{ userText: 'one' }, { userText: 'two' }]);
  await world.embed();
  const search = await openedSearch();
  world.server.embedding = (texts) => texts.map((text) => randomVector(text, 48));
  await world.embed('model-b');
  const query = unitVector(randomVector('question', 48)) ?? new Float32Array();
  const { sql, memory } = await bySqlAndMemory(input(agentId, { model: 'model-b', query }), search);
  expect([sql.length, sql]).toEqual([2, memory]);
  expect((await search.nearest(input(agentId), world.database)).items).toEqual([]);
});

it('a text that is refused later has no vector here either', async () => {
  const agentId = await world.agent();
  const [id = ''] = await world.events(agentId, [{ userText: 'one', assistantState: 'partial' }]);
  await world.embed();
  await openedSearch();
  expect(await world.count(HELD)).toBe(1);
  await world.database.pool.query('update memory_documents set text_seq = default where event_id = $1', [id]);
  world.server.embedding = (texts) =>
    texts.some((text) => text.endsWith('one')) ? { status: 400 } : texts.map((text) => randomVector(text));
  await world.embed();
  expect([await world.count('memory_vectors'), await world.count(HELD)]).toEqual([1, 0]);
});

it('an extension that may not be created is said once, and nothing is made', async () => {
  const lines: string[] = [];
  const logger = createLogger('test', { destination: { write: (line) => void lines.push(line) } });
  await world.database.pool.query('create role guest');
  await world.database.pool.query('set role guest');
  try {
    const copy = world.copy({ logger });
    expect([await copy.runOnce(), await copy.runOnce(), copy.isWhole]).toEqual(['refused', 'refused', false]);
  } finally {
    await world.database.pool.query('reset role');
  }
  expect(lines).toEqual([expect.stringContaining('may not create')]);
});

it('on a server without the extension nothing is made', async ({ skip }) => {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  const database = openDatabase({ url, maxConnections: 1 });
  onTestFinished(() => database.close());
  const { rowCount } = await database.pool.query("select from pg_available_extensions where name = 'vector'");
  if (rowCount) skip('this server has pgvector');
  const copy = world.copy({ database });
  expect([await copy.runOnce(), copy.isWhole]).toEqual(['absent', false]);
});

it('a search of a memory that is too large for memory finds by it, and by words only until it is whole', async () => {
  const agentId = await world.agent();
  const [id] = await world.events(agentId, [{ userText: 'hound' }]);
  world.server.embedding = (texts) => texts.map(meaningOf);
  await world.embed();
  const copy = world.copy();
  const { database, logger } = world;
  const none = new Shards(new ShardQueries(database), { maxBytesOfOne: 0 });
  const search = new VectorSearch({
    database,
    logger,
    model: 'model-a',
    embedder: world.embedder('model-a'),
    searches: [none, new PgvectorSearch(copy)],
  });
  onTestFinished(() => search.close());
  const memory = new MemoryRetrieval({
    database,
    logger,
    clock: systemClock,
    vectors: search,
    stepMs: () => LONG_TIMEOUT_MS,
  });
  const all = { agentId, projectId: undefined };
  expect((await found(memory, all, 'puppy')).byVector).toEqual([]);
  await copy.runOnce();
  expect((await found(memory, all, 'puppy')).byVector).toEqual([id]);
  const { ids, byVector } = await found(memory, { agentId, projectId: null }, 'puppy');
  expect([ids, byVector]).toEqual([[id], [id]]);
});

it('a plan that is kept reads the question once, and the vectors of the agent only', async () => {
  await openedSearch();
  const client = await world.database.pool.connect();
  onTestFinished(() => client.release());
  await client.query('set enable_seqscan = off');
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${NEAREST}`);
  await client.query('reset enable_seqscan');
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toContain('InitPlan');
  expect(plan).toContain('memory_pgvector_1_agent_idx');
  expect(plan).toContain('memory_documents_pkey');
});

it('an agent whose search takes longer than a statement may is left out for a while', async () => {
  const copy = world.copy();
  await copy.runOnce();
  let now = 0;
  let asked = 0;
  const canceled = Object.assign(new pg.DatabaseError('canceling statement', 1, 'error'), { code: '57014' });
  const reads = {
    statement: () => {
      asked += 1;
      return Promise.reject(canceled);
    },
  };
  const search = new PgvectorSearch(copy, () => now);
  const look = async () => (await search.nearest(input('agt_large'), reads)).isTooLarge;
  expect([await look(), await look(), asked]).toEqual([true, true, 1]);
  now = 60_000;
  expect([await look(), asked]).toEqual([true, 2]);
});

it('dropped under a process: it is not used any more, embedding goes on, and the next start makes it anew', async () => {
  const agentId = await world.agent();
  await world.events(agentId, [{ userText: 'one' }]);
  await world.embed();
  const search = await openedSearch();
  await world.database.pool.query('drop extension vector cascade');
  expect((await search.nearest(input(agentId), world.database)).isTooLarge).toBe(true);
  await world.events(agentId, [{ userText: 'two' }]);
  await world.embed();
  expect(await world.count('memory_vectors')).toBe(2);
  const again = await openedSearch();
  expect((await again.nearest(input(agentId), world.database)).items).toHaveLength(2);
});
