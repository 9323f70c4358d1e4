import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AgentWork } from '../../src/core/tasks/agent-work.ts';
import { TaskService } from '../../src/core/tasks/task-service.ts';
import { ServiceWorld, type WorldAgent } from '../../src/testing/service-world.ts';
import { expectInvariants, sessionOf } from '../chat/chat-support.ts';
import { reportTask, waitingFor, workingOnTask } from './task-work-support.ts';

/* What agents report as done is looked at first, in a project with a reviewer. */

let world: ServiceWorld;
let tasks: TaskService;
beforeAll(async () => {
  world = await ServiceWorld.create();
  tasks = new TaskService(world.deps);
});
afterAll(async () => {
  await expectInvariants(world);
  await world.close();
});

const taskOf = (taskId: string) => tasks.get(world.owner, taskId);
const setReviewer = ({ projectId }: WorldAgent, reviewerId: string | null) =>
  world.projects.update(world.owner, projectId, { reviewerId });

/** Another agent of the project, which looks at the work of the first. */
async function reviewingAgent({ projectId }: WorldAgent): Promise<WorldAgent> {
  const name = `Reviewer of ${projectId}`;
  const { id: agentId } = await world.agents.create(world.owner, { name, type: 'ai' });
  await world.projects.putAgent(world.owner, { projectId, agentId });
  await setReviewer({ projectId, agentId }, agentId);
  return { projectId, agentId };
}

const attemptsOf = (taskId: string) =>
  world.database.db
    .selectFrom('taskAttempts')
    .select(['agentId', 'outcome'])
    .where('taskId', '=', taskId)
    .orderBy('n')
    .execute();

test('nobody reviews by default; only a member or an owner can', async () => {
  const membership = await world.agentInProject();
  expect(await world.projects.get(world.owner, membership.projectId)).not.toHaveProperty('reviewerId');
  const elsewhere = await world.agentInProject();
  await expect(setReviewer(membership, elsewhere.agentId)).rejects.toMatchObject({
    code: 'agent_not_in_project',
  });
  const worker = await workingOnTask(world, membership);
  await reportTask(world, worker);
  expect(await taskOf(worker.key.taskId)).toMatchObject({ status: 'done' });
});

describe('a person reviews', () => {
  test('the task is theirs, and what waits for it goes on waiting', async () => {
    const membership = await world.agentInProject({ maxParallelTasks: 3 });
    await setReviewer(membership, world.owner.id);
    const worker = await workingOnTask(world, membership);
    const { taskId } = worker.key;
    const dependent = await tasks.create(world.owner, membership.projectId, {
      title: 'Then this',
      status: 'todo',
      assigneeId: membership.agentId,
      dependsOn: [taskId],
    });
    await reportTask(world, worker);
    const reviewed = await taskOf(taskId);
    expect(reviewed).toMatchObject({ status: 'in_progress', assigneeId: world.owner.id });
    expect(await attemptsOf(taskId)).toEqual([{ agentId: membership.agentId, outcome: 'done' }]);
    expect(await sessionOf(world, worker.caller.sessionId)).toMatchObject({ state: 'terminating' });
    expect(await taskOf(dependent.id)).toMatchObject({ status: 'todo' });
    await tasks.update(world.owner, taskId, { version: reviewed.version, status: 'done' });
    expect(await taskOf(dependent.id)).toMatchObject({ status: 'in_progress' });
  });

  test('given back, the agent works on it again', async () => {
    const membership = await world.agentInProject({ maxParallelTasks: 3 });
    await setReviewer(membership, world.owner.id);
    const worker = await workingOnTask(world, membership);
    const { taskId } = worker.key;
    await reportTask(world, worker);
    const { version } = await taskOf(taskId);
    await tasks.update(world.owner, taskId, { version, assigneeId: membership.agentId });
    expect(await waitingFor(world, membership)).toEqual([taskId]);
  });

  test('what is blocked is not reviewed', async () => {
    const membership = await world.agentInProject();
    await setReviewer(membership, world.owner.id);
    const worker = await workingOnTask(world, membership);
    await reportTask(world, worker, 'blocked');
    expect(await taskOf(worker.key.taskId)).toMatchObject({
      status: 'blocked',
      assigneeId: membership.agentId,
    });
  });
});

describe('an agent reviews', () => {
  test('it is started for the task, and told what to do; its report is the end', async () => {
    const membership = await world.agentInProject();
    const reviewing = await reviewingAgent(membership);
    const worker = await workingOnTask(world, membership);
    const { taskId } = worker.key;
    await reportTask(world, worker);
    expect(await taskOf(taskId)).toMatchObject({ status: 'in_progress', assigneeId: reviewing.agentId });
    expect(await waitingFor(world, reviewing)).toEqual([taskId]);
    const reviewer = await world.signIn(reviewing);
    const mine = await new AgentWork(world.deps).get(reviewer.caller);
    expect(mine.notes).toMatchObject([{ text: expect.stringContaining('reports this task as done') }]);
    expect(mine.comments).toMatchObject([{ text: 'It is done.' }]);
    await reportTask(world, reviewer);
    expect(await taskOf(taskId)).toMatchObject({ status: 'done', assigneeId: reviewing.agentId });
    expect(await attemptsOf(taskId)).toMatchObject([
      { agentId: membership.agentId, outcome: 'done' },
      { agentId: reviewing.agentId, outcome: 'done' },
    ]);
  });

  test('when the chain has no place left, a person decides', async () => {
    const membership = await world.agentInProject();
    const reviewing = await reviewingAgent(membership);
    const worker = await workingOnTask(world, membership);
    const { taskId } = worker.key;
    const { projectId } = membership;
    const { sessionId } = worker.caller;
    const { db } = world.database;
    await db
      .insertInto('conversationChains')
      .values({ id: sessionId, projectId, taskCount: 1_000 })
      .execute();
    await db.updateTable('agentSessions').set({ chainId: sessionId }).where('id', '=', sessionId).execute();
    await reportTask(world, worker);
    expect(await taskOf(taskId)).toMatchObject({ status: 'blocked', assigneeId: membership.agentId });
    expect(await waitingFor(world, reviewing)).toEqual([]);
  });

  test('one that has left the project reviews no more', async () => {
    const membership = await world.agentInProject();
    const reviewing = await reviewingAgent(membership);
    await world.projects.removeAgent(world.owner, reviewing);
    const worker = await workingOnTask(world, membership);
    await reportTask(world, worker);
    expect(await taskOf(worker.key.taskId)).toMatchObject({ status: 'done' });
  });
});
