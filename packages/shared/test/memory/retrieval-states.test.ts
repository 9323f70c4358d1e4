import { afterAll, beforeAll, expect, it } from 'vitest';
import { MemoryService } from '../../src/core/memory/memory-service.ts';
import { DocumentQueries } from '../../src/core/memory/retrieval/document-queries.ts';
import { openPlanRecorder, type PlanRecorder } from '../../src/testing/recorded-plans.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';
import { AT, aState, secondsLater } from './stored-memory.ts';

/* What one project sees of a memory does not depend on how much the others have in it. */

let world: ServiceWorld;
let recorder: PlanRecorder;
beforeAll(async () => {
  world = await ServiceWorld.create();
});
afterAll(async () => {
  await recorder?.close();
  await world.close();
});

async function agentOfTwo() {
  const { agentId, projectId } = await world.agentInProject();
  const other = await world.agentInProject();
  return { agentId, projectId, other: other.projectId };
}

it('the newest states of a project are found behind any number of another project, and of a time', async () => {
  const { agentId, projectId, other } = await agentOfTwo();
  const older = await aState(world, agentId, { projectId, at: AT });
  const newer = await aState(world, agentId, { projectId: null, at: secondsLater(1) });
  for (let n = 2; n < 6; n++) await aState(world, agentId, { projectId: other, at: secondsLater(n) });
  const queries = new DocumentQueries(world.database);
  const newest = async (asOf: Date | null, limit: number) => {
    const sight = { scope: { agentId, projectId }, asOf, exceptEventId: null };
    return (await queries.newestStates(sight, limit, secondsLater(10))).map(({ stateId }) => stateId);
  };
  expect(await newest(null, 2)).toEqual([newer, older]);
  expect(await newest(AT, 1)).toEqual([older]);
});

it('a page of the events of a project reads no events of another one', async () => {
  const { agentId, projectId, other } = await agentOfTwo();
  await world.database.pool.query(
    `insert into memory_events (id, agent_id, project_id, client_id, thread_id, source, assistant_state, created_at)
     select 'page' || n, $1, case when n % 500 = 0 then $2 when n % 500 = 1 then null else $3 end, 'c', 't', 'import',
       'complete', timestamptz '2026-01-01' + n / 2 * interval '1 second' from generate_series(1, 5000) n`,
    [agentId, projectId, other],
  );
  await world.database.pool.query('vacuum analyze memory_events');
  recorder = await openPlanRecorder(world.database.url, world.clock);
  const memory = new MemoryService({ ...world.deps, database: recorder.database });
  const listed: string[] = [];
  const plans = await recorder.plansOf(async () => {
    let cursor: string | undefined;
    do {
      const page = await memory.listEvents(world.owner, agentId, { projectId, limit: 7, cursor });
      listed.push(...page.events.map(({ id }) => id));
      cursor = page.nextCursor ?? undefined;
    } while (cursor);
  });
  const places = Array.from({ length: 10 }, (_, n) => 5_000 - 500 * n);
  expect(listed).toEqual(
    places.flatMap((n) => (n === 5_000 ? [`page${n}`] : [`page${n + 1}`, `page${n}`])).concat('page1'),
  );
  const read = plans.flatMap(({ reads }) => reads).filter(({ table }) => table === 'memory_events');
  expect(read.reduce((sum, { rows }) => sum + rows, 0)).toBeLessThanOrEqual(100);
});
