import { afterAll, beforeAll, expect, it } from 'vitest';
import { TaskService } from '../../src/core/tasks/task-service.ts';
import { openPlanRecorder, type PlanRecorder } from '../../src/testing/recorded-plans.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';

const TASKS = 500;

let world: ServiceWorld;
let recorder: PlanRecorder;
beforeAll(async () => {
  world = await ServiceWorld.create();
  recorder = await openPlanRecorder(world.database.url, world.clock);
});
afterAll(async () => {
  await recorder.close();
  await world.close();
});

/* Postgres gathers statistics within a minute of an import. A board is opened sooner. */
it('a board right after many tasks were made reads each of them a few times, not all of them for each', async () => {
  const { projectId } = await world.agentInProject();
  await world.database.pool.query(
    `insert into tasks (id, project_id, title, status, priority, parent_id)
     select 'tsk_part_' || n, $1, 'Task ' || n, (array['todo', 'done', 'cancelled'])[1 + n % 3], 'medium',
       case when n > 3 then 'tsk_part_' || 1 + n % 3 end
     from generate_series(1, ${TASKS}) n`,
    [projectId],
  );
  const tasks = new TaskService({ ...world.deps, database: recorder.database });
  let parts: unknown;
  const plans = await recorder.plansOf(async () => {
    const page = await tasks.list(world.owner, projectId, { limit: 50, board: true });
    expect(page.tasks).toHaveLength(TASKS);
    const byId = new Map(page.tasks.map((task) => [task.id, task.parts]));
    parts = [1, 2, 3, 4].map((n) => byId.get(`tsk_part_${n}`));
  });
  const rows = plans.flatMap(({ reads }) => reads).filter(({ table }) => table === 'tasks');
  expect(rows.reduce((sum, read) => sum + read.rows, 0)).toBeLessThanOrEqual(4 * TASKS);
  // Of those that were cancelled nobody speaks.
  expect(parts).toEqual([{ total: 165, done: 0 }, { total: 166, done: 166 }, undefined, undefined]);
});
