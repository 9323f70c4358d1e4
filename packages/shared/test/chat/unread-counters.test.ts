import { readdir, readFile } from 'node:fs/promises';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Person } from '../../src/core/access/person.ts';
import { chatTransaction, storeSystemMessage } from '../../src/core/chat/chat-transaction.ts';
import { AppError } from '../../src/platform/errors.ts';
import { INVARIANTS } from '../../src/testing/invariant-queries.ts';
import { ServiceWorld, type WorldAgent } from '../../src/testing/service-world.ts';
import { createEmptyDatabase } from '../../src/testing/test-database.ts';

const COUNTED = [
  INVARIANTS['what people may have to read is counted'],
  INVARIANTS['what a person has read is counted up to his mark'],
];
const MIGRATION = '20261123000002_unread_counters.sql';

let world: ServiceWorld;
beforeAll(async () => {
  world = await ServiceWorld.create();
});
afterAll(() => world.close());

const step = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ do: 'post' as const }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('answer' as const), says: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('system' as const), visible: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('read' as const), by: fc.nat(1), at: fc.nat(20) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('twice' as const), at: fc.nat(20), also: fc.nat(20) }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
type Signed = Awaited<ReturnType<ServiceWorld['warmAgent']>>;

it('after every history unread is the number of messages that nobody of the people wrote and this one has not read', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14, size: 'max' }), async (steps) => {
      const membership = await world.agentInProject();
      const { caller } = await world.warmAgent(membership);
      const people = [world.owner, await reader(membership)];
      for (const one of steps) {
        await play(one, membership, caller, people);
        for (const person of people)
          expect(await unreadOf(membership, person)).toBe((await counted(membership, person)).unread);
      }
      for (const person of people)
        expect(await shown(membership, person)).toEqual(await counted(membership, person));
    }),
    { numRuns: 15 },
  );
  expect(await violations(world.database.pool)).toEqual([]);
}, 120_000);

it('a mark that another tab has moved further is not moved back, and says what is unread after it', async () => {
  const membership = await world.agentInProject();
  for (let line = 0; line < 4; line += 1) await say(membership, true);
  const ids = await idsOf(membership);
  const read = (index: number) =>
    world.history.markRead(world.owner, { ...membership, upToMessageId: ids[index] ?? '' });
  expect(await read(2)).toEqual({ unread: 1 });
  expect(await read(0)).toEqual({ unread: 1 });
  await say(membership, true);
  expect(await read(1)).toEqual({ unread: 2 });
});

it('the migration counts what stands: threads, marks, which runs were followed by another', async () => {
  const testDatabase = await createEmptyDatabase();
  const client = new pg.Client({ connectionString: testDatabase.url });
  await client.connect();
  const folder = new URL('../../migrations/', import.meta.url);
  const apply = async (name: string) => client.query(await readFile(new URL(name, folder), 'utf8'));
  const names = (await readdir(folder)).sort();
  for (const name of names) if (name < MIGRATION) await apply(name);
  await client.query(OLD_ROWS);
  await apply(MIGRATION);
  expect(await violations(client)).toEqual([]);
  const { rows } =
    await client.query(`select t.id, t.news_count::int, date_trunc('hour', m.created_at, 'UTC') = t.news_hour as newest
    from chat_threads t left join chat_messages m on m.thread_id = t.id and m.content = 'the newest' order by t.id`);
  expect(rows).toEqual([
    { id: 'conv_1', news_count: 0, newest: null },
    { id: 'prj_1/agt_1', news_count: 45, newest: true },
    { id: 'prj_1/agt_2', news_count: 0, newest: null },
  ]);
  const marks = await client.query('select human_id, news_count::int from read_marks order by human_id');
  expect(marks.rows).toEqual([
    { human_id: 'hum_1', news_count: 0 },
    { human_id: 'hum_2', news_count: 22 },
    { human_id: 'hum_3', news_count: 45 },
  ]);
  const runs = await client.query('select id from agent_runs where not followed order by id');
  expect(runs.rows.map(({ id }) => id)).toEqual(['run_1', 'run_3']);
  await client.end();
  await testDatabase.drop();
});

/** As they stood before: every second line a person's, every twentieth one that nobody sees. */
const OLD_ROWS = `
  insert into agents (id, type, name, provider) values ('agt_1', 'ai', 'One', 'builtin'), ('agt_2', 'ai', 'Two', 'builtin');
  insert into agents (id, type, name, access_level) select 'hum_' || n, 'human', 'H', 'member' from generate_series(1, 3) n;
  insert into projects (id, name, working_directory) values ('prj_1', 'P', '/nowhere');
  insert into chat_threads (id, project_id, agent_id, conversation_id, last_seq)
    values ('prj_1/agt_1', 'prj_1', 'agt_1', null, 100), ('prj_1/agt_2', 'prj_1', 'agt_2', null, 0),
      ('conv_1', 'prj_1', 'agt_1', 'conv_1', 1);
  insert into chat_messages (id, thread_id, seq, project_id, agent_id, sender, sender_id, content, created_at, visible,
      log_offset)
    select 'msg_' || n, 'prj_1/agt_1', n, 'prj_1', 'agt_1', case when n % 2 = 1 then 'user' when n % 10 = 2 then 'system' else 'agent' end,
      'x', case when n = 98 then 'the newest' else 'x' end, '2026-11-22T00:00:00Z'::timestamptz + n * interval '1 s', n % 20 <> 0, n
    from generate_series(1, 98) n;
  insert into chat_messages (id, thread_id, seq, project_id, agent_id, sender, sender_id, content, created_at, visible, log_offset)
    values ('msg_99', 'prj_1/agt_1', 99, 'prj_1', 'agt_1', 'user', 'user', 'x', '2026-11-23T00:00:00Z', true, 99),
      ('msg_100', 'prj_1/agt_1', 100, 'prj_1', 'agt_1', 'agent', 'agt_1', 'x', '2026-11-23T00:00:01Z', false, 100),
      ('msg_talk', 'conv_1', 1, 'prj_1', 'agt_1', 'agent', 'agt_1', 'x', '2026-11-23T00:00:01Z', true, 100);
  update chat_messages set conversation_id = 'conv_1' where id = 'msg_talk';
  insert into read_marks (human_id, thread_id, last_seq)
    values ('hum_1', 'prj_1/agt_1', 1), ('hum_2', 'prj_1/agt_1', 49), ('hum_3', 'prj_1/agt_1', 100);
  insert into agent_runs (id, agent_id, project_id, purpose, provider, started_at)
    values ('run_1', 'agt_1', 'prj_1', 'chat', 'builtin', '2026-11-22T10:00:00Z'),
      ('run_2', 'agt_1', 'prj_1', 'chat', 'builtin', '2026-11-22T09:00:00Z'),
      ('run_3', 'agt_2', 'prj_1', 'chat', 'builtin', '2026-11-22T08:00:00Z');`;

async function reader(membership: WorldAgent): Promise<Person> {
  const id = `hum_${membership.projectId.slice(4)}`;
  await world.agents.create(world.owner, { id, name: id, type: 'human', accessLevel: 'viewer' });
  await world.projects.putAgent(world.owner, { projectId: membership.projectId, agentId: id });
  return { id, name: id, accessLevel: 'viewer' };
}

async function play(one: Step, membership: WorldAgent, caller: Signed['caller'], people: readonly Person[]) {
  if (one.do === 'post') await world.chat.post(world.owner, { ...membership, content: 'Hello' });
  if (one.do === 'system') await say(membership, one.visible);
  if (one.do === 'answer') {
    await world.delivery.take(caller);
    await world.delivery
      .respond(caller, one.says ? { content: 'Here' } : { done: true })
      .catch(unlessRefused);
  }
  const ids = await idsOf(membership);
  const read = (person: Person | undefined, at: number) =>
    world.history
      .markRead(person ?? world.owner, {
        ...membership,
        upToMessageId: ids[at % Math.max(1, ids.length)] ?? 'none',
      })
      .catch(unlessRefused);
  if (one.do === 'read') await read(people[one.by], one.at);
  if (one.do === 'twice') await Promise.all([read(people[0], one.at), read(people[0], one.also)]);
}

/** A rule's no is a part of the history; anything else is a fault. */
function unlessRefused(error: unknown): void {
  if (!(error instanceof AppError) || error.code === 'internal') throw error;
}

function say(membership: WorldAgent, visible: boolean): Promise<void> {
  return chatTransaction(world.deps, (tx) =>
    storeSystemMessage(tx, world.deps, { ...membership, code: 'session_started', visible }),
  );
}

async function idsOf(membership: WorldAgent): Promise<string[]> {
  const { messages } = await world.history.list(world.owner, {
    ...membership,
    limit: 200,
    includeInvisible: true,
  });
  return messages.map(({ id }) => id);
}

/** What the page says: the number at the chat, the row of the inbox. */
async function shown(membership: WorldAgent, person: Person) {
  const { items } = await world.inbox.list(person);
  const row = items.find(({ kind, projectId }) => kind === 'unread' && projectId === membership.projectId);
  return { unread: await unreadOf(membership, person), since: row?.createdAt };
}

async function unreadOf(membership: WorldAgent, person: Person): Promise<number | undefined> {
  return (await world.history.unreadCounts(person, membership.projectId)).counts[membership.agentId];
}

/** The same from the messages themselves. */
async function counted(membership: WorldAgent, person: Person) {
  const { rows } = await world.database.pool.query<{ unread: number; since: Date | null }>(
    `select count(*)::int as unread, min(m.created_at) as since from chat_messages m
     where m.thread_id = $1 and m.visible and m.sender <> 'user' and m.seq > coalesce((select last_seq from read_marks r
       where r.thread_id = m.thread_id and r.human_id = $2), 0)`,
    [`${membership.projectId}/${membership.agentId}`, person.id],
  );
  return { unread: rows[0]?.unread, since: rows[0]?.since?.toISOString() };
}

async function violations(client: Pick<pg.Pool | pg.Client, 'query'>): Promise<unknown[]> {
  const found = [];
  for (const query of COUNTED) found.push(...(await client.query(query)).rows);
  return found;
}
