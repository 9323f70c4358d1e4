import { afterAll, beforeAll, expect, it } from 'vitest';
import { searchMemoryBodySchema } from '../../src/contract/memory.ts';
import { MemoryService } from '../../src/core/memory/memory-service.ts';
import { DocumentQueries } from '../../src/core/memory/retrieval/document-queries.ts';
import { indexDocument } from '../../src/core/memory/rules/index-terms.ts';
import { openPlanRecorder, type PlanRecorder } from '../../src/testing/recorded-plans.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';
import { retrievalOf, tell } from './memory-support.ts';

/* A search of a project finds and reads what is its own and what is general, however much the others have said. */

/** More than are looked at of one of many terms (document-queries.ts). */
const OF_OTHERS = 7_000;
/** As many terms as make the bound of each the least. */
const QUERY = Array.from(
  { length: 30 },
  (_, n) => `word${String.fromCharCode(97 + (n % 26)).repeat(2 + n / 26)}`,
);

let world: ServiceWorld;
let recorder: PlanRecorder;
let agentId: string;
let projectId: string;
let told: readonly string[];
beforeAll(async () => {
  world = await ServiceWorld.create();
  ({ agentId, projectId } = await world.agentInProject());
  const other = await world.agentInProject();
  const { terms } = indexDocument({ agentId, createdAt: new Date(0), texts: [QUERY.join(' ')] });
  await world.database.pool.query(
    `insert into memory_events (id, agent_id, project_id, client_id, thread_id, source, assistant_state, created_at)
     select 'other' || n, $1, $2, 'c', 'other' || n, 'import', 'complete', timestamptz '2026-01-01' + n * interval '1 second'
     from generate_series(1, $3::int) n`,
    [agentId, other.projectId, OF_OTHERS],
  );
  await world.database.pool.query(
    `insert into memory_documents (event_id, agent_id, project_id, created_at, length, terms)
     select id, agent_id, project_id, created_at, 30, $2::int[] from memory_events where agent_id = $1 order by seq`,
    [agentId, terms],
  );
  await world.database.pool.query(
    `insert into memory_states (id, agent_id, project_id, kind, body_text, last_confirmed_at, evidence, created_at, updated_at)
     select 'other' || n, $1, $2, 'fact', 'x', timestamptz '2026-01-01' + n * interval '1 second', '{}', '2026-01-01',
       '2026-01-01' from generate_series(1, $3::int) n`,
    [agentId, other.projectId, OF_OTHERS],
  );
  const text = QUERY.join(' ');
  told = await tell(world.database, [
    { agentId, projectId, text, threadId: 'a', at: '2026-01-01T00:30:00Z' },
    { agentId, projectId: null, text, threadId: 'b', at: '2026-01-01T00:40:00Z' },
    { agentId, projectId, text: `${QUERY[0]} and other things`, threadId: 'c', at: '2026-01-01T00:50:00Z' },
  ]);
  for (const table of ['memory_documents', 'memory_events', 'memory_states'])
    await world.database.pool.query(`vacuum analyze ${table}`);
  recorder = await openPlanRecorder(world.database.url, world.clock, { avoidTableScans: true });
}, 120_000);
afterAll(async () => {
  await recorder?.close();
  await world.close();
});

const scope = () => ({ agentId, projectId });
const sight = () => ({ scope: scope(), asOf: null, exceptEventId: null });

async function rowsRead(table: string, work: () => Promise<unknown>): Promise<number> {
  const plans = await recorder.plansOf(work);
  const reads = plans.flatMap((plan) => plan.reads).filter((read) => read.table === table);
  return reads.reduce((sum, { rows }) => sum + rows, 0);
}

it('finds what a project has said with the words that another one says all the time', async () => {
  const memory = retrievalOf(world, { database: recorder.database });
  const body = searchMemoryBodySchema.parse({ query: QUERY.join(' '), expand: false });
  const { items } = await memory.search(scope(), body);
  expect(items.map(({ id }) => id).toSorted()).toEqual(told.toSorted());
});

it('counts a term in the documents of the project', async () => {
  const queries = new DocumentQueries(recorder.database);
  const [hash = 0] = indexDocument({ agentId, createdAt: new Date(0), texts: [QUERY[0] ?? ''] }).terms;
  const ids = async (of: { agentId: string; projectId: string | null | undefined }) => {
    const hashes = [hash, ...Array.from({ length: 63 }, (_, n) => 1_000_000 + n)];
    const [posting] = await queries.postings({ ...sight(), scope: of }, hashes, 300);
    return posting?.ids?.split(',').length ?? 0;
  };
  expect(await ids(scope())).toBe(3);
  expect(await ids({ agentId, projectId: null })).toBe(1);
  expect(await ids({ agentId, projectId: undefined })).toBe(300);
  expect((await queries.corpus(scope())).documents).toBe(3);
  expect((await queries.corpus({ agentId, projectId: null })).documents).toBe(1);
  expect((await queries.corpus({ agentId, projectId: undefined })).documents).toBe(OF_OTHERS + 3);
});

it.each<[string, string, (queries: DocumentQueries) => Promise<unknown>]>([
  [
    'the terms',
    'memory_documents',
    async (queries) => {
      const { terms } = indexDocument({ agentId, createdAt: new Date(0), texts: [QUERY.join(' ')] });
      const [a = 0, b = 0] = terms;
      await queries.postings(sight(), terms, 300);
      await queries.holdingBoth(sight(), [[a, b]], 300);
    },
  ],
  ['the count', 'memory_documents', (queries) => queries.corpus(scope())],
  ['the newest events', 'memory_documents', (queries) => queries.newestEvents(sight(), 50)],
  ['the newest states', 'memory_states', (queries) => queries.newestStates(sight(), 40, new Date())],
  [
    'a named time',
    'memory_documents',
    (queries) => {
      const span = { from: new Date('2026-01-01T00:00:00Z'), to: new Date('2026-01-02T00:00:00Z') };
      return queries.within(sight(), [span], 2_000);
    },
  ],
])('reads of %s only those of the project and what is general', async (_what, table, read) => {
  const queries = new DocumentQueries(recorder.database);
  // More often than a prepared statement is planned anew.
  for (let n = 0; n < 6; n += 1) await read(queries);
  expect(await rowsRead(table, () => read(queries))).toBeLessThanOrEqual(150);
});

it('lists the states of a project without those of the others', async () => {
  const memory = new MemoryService({ ...world.deps, database: recorder.database });
  expect(
    await rowsRead('memory_states', () => memory.listStates(world.owner, agentId, { projectId, limit: 50 })),
  ).toBeLessThanOrEqual(10);
});
