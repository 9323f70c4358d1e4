import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AgentCaller } from '../../src/core/access/agent-caller.ts';
import { AgentTasks } from '../../src/core/tasks/agent-tasks.ts';
import { TaskService } from '../../src/core/tasks/task-service.ts';
import { ServiceWorld, type WorldAgent } from '../../src/testing/service-world.ts';
import { factsOf } from '../auth/people-support.ts';

let world: ServiceWorld;
let board: TaskService;
let tasks: AgentTasks;
let membership: WorldAgent;
let caller: AgentCaller;

beforeAll(async () => {
  world = await ServiceWorld.create();
  board = new TaskService(world.deps);
  tasks = new AgentTasks(world.deps);
});
afterAll(() => world.close());
beforeEach(async () => {
  membership = await world.agentInProject();
  ({ caller } = await world.warmAgent(membership));
});

const count = async () => (await board.list(world.owner, membership.projectId, { limit: 50 })).tasks.length;

describe('an agent creates a task', () => {
  test('people see it at once, with the agent as its author', async () => {
    const { agentId, projectId } = membership;
    const facts = await factsOf(world, () =>
      tasks.create(caller, { title: 'Order tea', assigneeId: agentId }),
    );
    const [task] = (await board.list(world.owner, projectId, { limit: 50 })).tasks;
    expect(task).toMatchObject({
      title: 'Order tea',
      status: 'backlog',
      priority: 'medium',
      assigneeId: agentId,
      createdBy: agentId,
    });
    expect(facts).toEqual([{ kind: 'task', projectId, ref: { taskId: task?.id } }]);
  });

  test('the same key makes one task, also when both calls come at once', async () => {
    const order = { title: 'Order tea', idempotencyKey: 'k1' };
    const made = await Promise.all([tasks.create(caller, order), tasks.create(caller, order)]);
    expect(new Set([...made, await tasks.create(caller, order)].map(({ id }) => id)).size).toBe(1);
    await tasks.create(caller, { ...order, idempotencyKey: 'k2' });
    expect(await count()).toBe(2);
  });

  test('for nobody outside the project, and only as much as its quota allows', async () => {
    const { agentId } = await world.agentInProject();
    await expect(tasks.create(caller, { title: 'x', assigneeId: agentId })).rejects.toMatchObject({
      code: 'agent_not_in_project',
    });
    // No hour ends while the test runs.
    await world.database.pool.query(
      `update chat_threads set said_hour = 'infinity', said_bytes = 20 * 1024 * 1024 - 10 where id = $1`,
      [`${membership.projectId}/${membership.agentId}`],
    );
    await expect(tasks.create(caller, { title: 'eleven char' })).rejects.toMatchObject({
      code: 'quota_reached',
    });
    expect(await count()).toBe(0);
    await tasks.create(caller, { title: 'ten charac' });
  });

  test('not when its session has ended', async () => {
    await world.sessions.logout(caller);
    await expect(tasks.create(caller, { title: 'x' })).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(await count()).toBe(0);
  });
});

describe('an agent moves a task', () => {
  test('as the board allows it; a task that is there already stays as it is', async () => {
    const { id } = await board.create(world.owner, membership.projectId, { title: 'Order tea' });
    await expect(tasks.move(caller, { taskId: id, status: 'done' })).rejects.toMatchObject({
      code: 'invalid_status_transition',
      details: { from: 'backlog', to: 'done', allowed: ['todo', 'cancelled'] },
    });
    expect(await tasks.move(caller, { taskId: id, status: 'todo' })).toMatchObject({
      status: 'todo',
      version: 2,
    });
    expect(await tasks.move(caller, { taskId: id, status: 'todo' })).toMatchObject({ version: 2 });
  });

  test('not over a change that it has not seen', async () => {
    const { id } = await board.create(world.owner, membership.projectId, { title: 'Order tea' });
    await board.update(world.owner, id, { version: 1, title: 'Order coffee' });
    await expect(tasks.move(caller, { taskId: id, status: 'todo', version: 1 })).rejects.toMatchObject({
      code: 'version_conflict',
    });
    expect((await tasks.get(caller, id)).status).toBe('backlog');
  });

  test('a repeated call with the same key does not move it back', async () => {
    const { id } = await board.create(world.owner, membership.projectId, { title: 'x', status: 'todo' });
    const move = { taskId: id, status: 'in_progress', idempotencyKey: 'k1' } as const;
    await tasks.move(caller, move);
    await tasks.move(caller, { taskId: id, status: 'todo' });
    expect(await tasks.move(caller, move)).toMatchObject({ status: 'todo' });
  });
});

test('a comment alone is told to those who read the board', async () => {
  const { projectId } = membership;
  const { id } = await board.create(world.owner, projectId, { title: 'Order tea', status: 'todo' });
  const told = { kind: 'task', projectId, ref: { taskId: id } };
  const move = (status: 'todo' | 'backlog') =>
    factsOf(world, () => tasks.move(caller, { taskId: id, status, comment: 'Green or black?' }));
  expect(await move('todo')).toEqual([told]);
  expect(await move('backlog')).toEqual([told]);
  expect(await board.get(world.owner, id)).toMatchObject({ comments: 2, version: 2 });
});

test('tasks of other projects are not there', async () => {
  const elsewhere = await world.agentInProject();
  const { id: taskId } = await board.create(world.owner, elsewhere.projectId, { title: 'Secret' });
  const missing = { code: 'task_not_found' };
  await expect(tasks.get(caller, taskId)).rejects.toMatchObject(missing);
  await expect(tasks.move(caller, { taskId, status: 'todo' })).rejects.toMatchObject(missing);
  await expect(tasks.create(caller, { title: 'x', parentId: taskId })).rejects.toMatchObject(missing);
  await expect(tasks.create(caller, { title: 'x', dependsOn: [taskId] })).rejects.toMatchObject(missing);
});
