import { afterAll, beforeAll, expect, it } from 'vitest';
import type { MemoryRetrieval } from '../../src/core/memory/retrieval/memory-retrieval.ts';
import { openPlanRecorder, type PlanRecorder } from '../../src/testing/recorded-plans.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';
import { fillMemory, rowsRead } from './large-memory.ts';
import { retrievalOf } from './memory-support.ts';

/*
 * Prepared statements keep the plan that was made when a memory was small, and an import grows a memory within seconds:
 * until the tables are analyzed Postgres knows nothing of their size.
 */

const FEW = 30;
const MANY = 5_000;
/** More than Postgres plans anew before it keeps a plan, on each connection. */
const SEARCHES = 40;

let world: ServiceWorld;
let recorder: PlanRecorder;
let memory: MemoryRetrieval;
let grown: string;
beforeAll(async () => {
  world = await ServiceWorld.create();
  const small = await world.agentInProject();
  ({ agentId: grown } = await world.agentInProject());
  // Of all tables: the fill takes long enough on a busy machine for some of them to be analyzed in the middle.
  await world.database.pool.query(`do $$ declare one regclass; begin
    for one in select c.oid from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' loop
      execute format('alter table %s set (autovacuum_enabled = off)', one);
    end loop; end $$`);
  recorder = await openPlanRecorder(world.database.url, world.clock, { avoidTableScans: true });
  memory = retrievalOf(world, { database: recorder.database });
  await fillMemory(world.database, small.agentId, FEW);
  for (let times = 0; times < SEARCHES; times += 1) await recall(small.agentId);
  await fillMemory(world.database, grown, MANY);
}, 120_000);
afterAll(async () => {
  await recorder.close();
  await world.close();
});

const recall = (agentId: string) =>
  memory.recall(
    { agentId, projectId: undefined },
    { text: 'what was it with the violin at the harbour meeting on 2 January 2026?', clientId: 'client' },
  );

it('a memory that has just grown is read no further than one that was analyzed', async () => {
  // The first one counts the memory.
  await recall(grown);
  const rows = await rowsRead(recorder, () => recall(grown));
  expect(Object.keys(rows).filter((name) => name.endsWith('by null'))).toEqual([]);
  const sum = Object.values(rows).reduce((total, count) => total + count, 0);
  expect(sum, JSON.stringify(rows)).toBeLessThanOrEqual(4_000);
});
