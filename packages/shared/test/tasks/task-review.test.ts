import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AgentTasks } from '../../src/core/tasks/agent-tasks.ts';
import { AgentWork } from '../../src/core/tasks/agent-work.ts';
import { TaskService } from '../../src/core/tasks/task-service.ts';
import { ServiceWorld, type WorldAgent } from '../../src/testing/service-world.ts';
import { addPerson } from '../auth/people-support.ts';
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

const inboxOf = async (taskId: string) =>
  (await world.inbox.list(world.owner)).items.filter(({ refId }) => refId === taskId);

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
    expect(await inboxOf(taskId)).toMatchObject([{ kind: 'review', title: 'Do it' }]);
    // Another change of it is not the end of the review.
    await tasks.update(world.owner, taskId, { version: reviewed.version, priority: 'high' });
    expect(await inboxOf(taskId)).toHaveLength(1);
    await tasks.update(world.owner, taskId, { version: reviewed.version + 1, status: 'done' });
    expect(await inboxOf(taskId)).toEqual([]);
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
    expect(await inboxOf(taskId)).toEqual([]);
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

test('where the chain of agents is at its limit, no review begins: the task is blocked, and the inbox says why', async () => {
  const settings = (chainMaxMessages: number | null) =>
    world.database.db.updateTable('appSettings').set({ chainMaxMessages }).execute();
  await settings(1);
  world.clock.advance(60_000);
  const membership = await world.agentInProject();
  const reviewing = await reviewingAgent(membership);
  const worker = await workingOnTask(world, membership);
  const body = { title: 'You', status: 'in_progress', assigneeId: reviewing.agentId } as const;
  await new AgentTasks(world.deps).create(worker.caller, body);
  // Of a long one the beginning, never half a character.
  const summary = `${'x'.repeat(499)}🎉🎉`;
  await new AgentWork(world.deps).report(worker.caller, { result: 'done', summary });
  await settings(null);
  expect(await taskOf(worker.key.taskId)).toMatchObject({ status: 'blocked' });
  const reason = { code: 'review_chain_limit', params: { lastLine: `${'x'.repeat(499)}🎉` } };
  expect(await inboxOf(worker.key.taskId)).toMatchObject([
    { kind: 'blocked_task', attempt: { summary: `${'x'.repeat(499)}🎉`, reason } },
  ]);
});

describe('an agent says in a chat that a task is done', () => {
  const chatting = async (membership: WorldAgent) => (await world.warmAgent(membership)).caller;
  const begun = (membership: WorldAgent, assigneeId?: string) =>
    tasks.create(world.owner, membership.projectId, {
      title: 'Do it',
      status: 'in_progress',
      ...(assigneeId !== undefined && { assigneeId }),
    });

  test('a person who reviews looks at it first; who reviews ends it', async () => {
    const membership = await world.agentInProject();
    await setReviewer(membership, world.owner.id);
    const caller = await chatting(membership);
    const { id: taskId, version } = await begun(membership);
    const moving = new AgentTasks(world.deps);
    const moved = await moving.move(caller, { taskId, status: 'done', version, comment: 'Ready' });
    expect(moved).toMatchObject({ status: 'in_progress', assigneeId: world.owner.id });
    // Said again, nothing changes.
    const again = await moving.move(caller, { taskId, status: 'done' });
    expect(again).toMatchObject({ status: 'in_progress', version: moved.version });
    await expect(moving.move(caller, { taskId, status: 'done', version })).resolves.toBeDefined();
    await tasks.update(world.owner, taskId, { version: moved.version, status: 'done' });
    expect(await taskOf(taskId)).toMatchObject({ status: 'done' });
  });

  test('an agent that reviews is started for it, and may end it the same way', async () => {
    const membership = await world.agentInProject();
    const reviewing = await reviewingAgent(membership);
    const caller = await chatting(membership);
    const { id: taskId } = await begun(membership);
    await new AgentTasks(world.deps).move(caller, { taskId, status: 'done' });
    expect(await waitingFor(world, reviewing)).toEqual([taskId]);
    const reviewer = await world.signIn(reviewing);
    await new AgentTasks(world.deps).move(reviewer.caller, { taskId, status: 'done' });
    expect(await taskOf(taskId)).toMatchObject({ status: 'done' });
  });

  test('of its own task, which ends its work', async () => {
    const membership = await world.agentInProject();
    await setReviewer(membership, world.owner.id);
    const worker = await workingOnTask(world, membership);
    const { taskId } = worker.key;
    await new AgentTasks(world.deps).move(worker.caller, { taskId, status: 'done' });
    expect(await taskOf(taskId)).toMatchObject({ status: 'in_progress', assigneeId: world.owner.id });
    expect(await attemptsOf(taskId)).toEqual([{ agentId: membership.agentId, outcome: 'done' }]);
  });

  test('what has not begun cannot be done', async () => {
    const membership = await world.agentInProject();
    await setReviewer(membership, world.owner.id);
    const caller = await chatting(membership);
    const { id: taskId } = await tasks.create(world.owner, membership.projectId, {
      title: 'Later',
      status: 'todo',
    });
    await expect(new AgentTasks(world.deps).move(caller, { taskId, status: 'done' })).rejects.toMatchObject({
      code: 'invalid_status_transition',
    });
  });
});

test('a viewer cannot move tasks, so reviews none', async () => {
  const membership = await world.agentInProject();
  const { projectId } = membership;
  const person = await addPerson(world, 'person_looks', { accessLevel: 'viewer', projects: [projectId] });
  await expect(setReviewer(membership, person.id)).rejects.toMatchObject({ code: 'invalid_input' });
  await world.agents.update(world.owner, person.id, { accessLevel: 'member' });
  await setReviewer(membership, person.id);
  await world.agents.update(world.owner, person.id, { accessLevel: 'viewer' });
  expect(await world.projects.get(world.owner, projectId)).not.toHaveProperty('reviewerId');
  const worker = await workingOnTask(world, membership);
  await reportTask(world, worker);
  expect(await taskOf(worker.key.taskId)).toMatchObject({ status: 'done' });
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
