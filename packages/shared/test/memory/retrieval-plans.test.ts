import { afterAll, beforeAll, expect, it } from 'vitest';
import { searchMemoryBodySchema } from '../../src/contract/memory.ts';
import { DocumentQueries } from '../../src/core/memory/retrieval/document-queries.ts';
import type { MemoryRetrieval } from '../../src/core/memory/retrieval/memory-retrieval.ts';
import { indexDocument } from '../../src/core/memory/rules/index-terms.ts';
import { openPlanRecorder, type PlanRecorder } from '../../src/testing/recorded-plans.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';
import { fillMemory, rowsRead } from './large-memory.ts';
import { retrievalOf } from './memory-support.ts';

/*
 * A search costs what it finds, not what the memory holds: the plans that Postgres used, on a memory of five thousand
 * events beside another one. How long they take says `npm run bench -- memory`.
 */

const EVENTS = 5_000;
/** Of one term at most this many documents are read (find-documents.ts). */
const MAX_POSTINGS = 300;
const MAX_PER_PAIR = 200;
const MAX_SCORED = 150;
const MAX_WITH_NEIGHBOURS = 40;

let world: ServiceWorld;
let recorder: PlanRecorder;
let memory: MemoryRetrieval;
let agentId: string;
beforeAll(async () => {
  world = await ServiceWorld.create();
  ({ agentId } = await world.agentInProject());
  const other = await world.agentInProject();
  for (const owner of [agentId, other.agentId]) await fillMemory(world.database, owner, EVENTS);
  await world.database.pool.query('vacuum analyze memory_documents');
  await world.database.pool.query('vacuum analyze memory_events');
  // As the memory service reads.
  recorder = await openPlanRecorder(world.database.url, world.clock, { avoidTableScans: true });
  memory = retrievalOf(world, { database: recorder.database });
}, 120_000);
afterAll(async () => {
  await recorder.close();
  await world.close();
});

const readsOf = (work: () => Promise<unknown>) => rowsRead(recorder, work);

const search = (query: string, more: object = {}) =>
  memory.search({ agentId, projectId: undefined }, searchMemoryBodySchema.parse({ query, ...more }));

it('a search reads a bounded number of documents of each term, by the index of terms', async () => {
  // The first search counts the memory.
  await search('zeppelin');
  const rows = await readsOf(() => search('the violin at the harbour meeting with the zeppelin'));
  const expected = ['memory_documents_terms_idx', 'memory_documents_pkey', 'memory_documents_event_id_key'];
  const ofDocuments = Object.keys(rows).filter((name) => name.startsWith('memory_documents'));
  for (const name of ofDocuments) expect(expected).toContain(name.replace('memory_documents by ', ''));
  // Two common terms to their bound, what holds both, and the hundred and five documents of the rare ones.
  expect(rows['memory_documents by memory_documents_terms_idx']).toBeLessThanOrEqual(
    2 * MAX_POSTINGS + MAX_PER_PAIR + 110,
  );
  expect(rows['memory_documents by memory_documents_pkey']).toBeLessThanOrEqual(
    MAX_SCORED + MAX_WITH_NEIGHBOURS,
  );
  expect(rows['memory_documents by memory_documents_event_id_key']).toBeLessThanOrEqual(
    2 * MAX_WITH_NEIGHBOURS,
  );
});

it('what holds two common terms is found though each of them is cut, by both in the index', async () => {
  const { rows: told } = await world.database.pool.query<{ id: string }>(
    `select event_id as id from memory_documents where agent_id = $1 order by id desc offset 2 limit 1`,
    [agentId],
  );
  const terms = (text: string) => indexDocument({ agentId, createdAt: new Date(0), texts: [text] }).terms;
  await world.database.pool.query(
    `update memory_documents set terms = terms || $2::int[]
     where agent_id = $1 and id % 12 = 0 and not terms @> $4::int[] or event_id = $3`,
    [agentId, terms('concert'), told[0]?.id, terms('violin')],
  );
  await world.database.pool.query(
    'update memory_documents set terms = terms || $2::int[] where event_id = $1',
    [told[0]?.id, terms('violin')],
  );
  const { items } = await search('the violin concert', { expand: false });
  expect(items.map(({ id }) => id)).toContain(told[0]?.id);
});

it('no event is read but those that were found and their neighbours', async () => {
  const rows = await readsOf(() => search('zeppelin'));
  for (const name of Object.keys(rows).filter((one) => one.startsWith('memory_events')))
    expect(name).toMatch(/by memory_events_(pkey|thread_idx)$/);
  const ofEvents = Object.entries(rows).filter(([name]) => name.startsWith('memory_events'));
  expect(ofEvents.reduce((sum, [, count]) => sum + count, 0)).toBeLessThanOrEqual(100);
});

it('the memory is counted once a minute, not with each search', async () => {
  const fresh = retrievalOf(world, { database: recorder.database });
  const look = () =>
    fresh.search({ agentId, projectId: undefined }, searchMemoryBodySchema.parse({ query: 'zeppelin' }));
  const documentsRead = async () =>
    Object.entries(await readsOf(look))
      .filter(([name]) => name.startsWith('memory_documents'))
      .reduce((sum, [, count]) => sum + count, 0);
  expect(await documentsRead()).toBeGreaterThanOrEqual(EVENTS);
  expect(await documentsRead()).toBeLessThanOrEqual(100);
});

it('what is recalled before an answer reads the newest by the index of the agent, not the memory', async () => {
  await search('zeppelin');
  const input = { text: 'the zeppelin', clientId: 'client' };
  const rows = await readsOf(() => memory.recall({ agentId, projectId: undefined }, input));
  expect(rows['memory_documents by memory_documents_agent_idx']).toBeLessThanOrEqual(50);
});

it('a named time is read by its span', async () => {
  await search('zeppelin');
  const rows = await readsOf(() =>
    search('what happened on 2 January 2026 with the zeppelin?', { expand: false }),
  );
  expect(rows['memory_documents by memory_documents_agent_idx']).toBeLessThanOrEqual(150);
});

it('of a common term that is seen later so many documents are looked at, and no more', async () => {
  const queries = new DocumentQueries(recorder.database);
  const [common = 0] = indexDocument({ agentId, createdAt: new Date(0), texts: ['meeting'] }).terms;
  await world.database.pool.query(
    `insert into memory_events (id, agent_id, client_id, thread_id, source, assistant_state, created_at)
     select 'more' || n, $1, 'client', 'more', 'import', 'complete', now() from generate_series(1, 2000) n`,
    [agentId],
  );
  await world.database.pool.query(
    `insert into memory_documents (event_id, agent_id, created_at, length, terms)
     select id, $1, now(), 5, array[$2::int] from memory_events where agent_id = $1 and id like 'more%'`,
    [agentId, common],
  );
  const scope = { agentId, projectId: undefined };
  const sight = { scope, asOf: new Date('2025-01-01T00:00:00Z'), exceptEventId: null };
  // Of as many terms as a search may have each is looked at the least.
  const hashes = [common, ...Array.from({ length: 63 }, (_, n) => 1_000_000 + n)];
  const rows = await readsOf(() => queries.postings(sight, hashes, MAX_POSTINGS));
  expect(rows['memory_documents by memory_documents_terms_idx']).toBeLessThanOrEqual(6_000);
  expect(rows['memory_documents by memory_documents_terms_idx']).toBeGreaterThan(MAX_POSTINGS);
});
