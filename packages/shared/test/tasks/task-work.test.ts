import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceWorld, type WorldAgent } from '../../src/testing/service-world.ts';
import {
  coordinationOnOwnConnections,
  expectInvariants,
  givenIds,
  nextAction,
  outcomesOf,
  runOf,
  sessionOf,
  statusOf,
  systemLines,
  takeStart,
} from '../chat/chat-support.ts';
import {
  beatOf,
  reportTask,
  taskInProgress,
  waitingFor,
  wakeFor,
  workingOnTask,
  workOn,
} from './task-work-support.ts';

/* Tasks as a purpose of starts, sign-ins, sessions and exits, beside the chat of the same agent (trap 7). */

let world: ServiceWorld;
beforeAll(async () => {
  world = await ServiceWorld.create();
});
afterAll(async () => {
  await expectInvariants(world);
  await world.close();
});

/** It may work on several tasks at once. */
const agent = () => world.agentInProject({ maxParallelTasks: 3 });
const ask = (membership: WorldAgent, coordinatorId = 'host-a') =>
  world.coordination.getAgentAction({ ...membership, coordinatorId });
const stateOf = async ({ sessionId }: { sessionId: string }) => (await sessionOf(world, sessionId)).state;
const next = ({ sessionId }: { sessionId: string }) => nextAction(world, sessionId);
const post = async (membership: WorldAgent) =>
  (await world.chat.post(world.owner, { ...membership, content: 'hi' })).message;
const exit = (runId: string, exitCode = 0) => world.coordination.reportProcessExit({ runId, exitCode });
/** A live chat, and a task that is worked on, of one agent. */
async function both() {
  const membership = await agent();
  const chat = await world.warmAgent(membership);
  const task = await workingOnTask(world, membership);
  return { membership, chat, task };
}

it('goes from a wake-up to the report of its exit', async () => {
  const membership = await agent();
  const key = await taskInProgress(world, membership);
  expect(await ask(membership)).toEqual({ action: 'hold', reason: 'no_pending_work' });
  await wakeFor(world, key);
  const purposes = () => world.presence.pendingPurposes(world.owner, membership.projectId, 60);
  expect(await purposes()).toMatchObject([{ purpose: 'task', taskId: key.taskId, startedAt: null }]);
  expect((await world.coordination.work('host-a')).pairs).toContainEqual(membership);

  const start = await takeStart(world, membership);
  expect(start).toMatchObject({ reason: 'has_in_progress_task', purpose: 'task', taskId: key.taskId });
  expect(await world.runs.get(world.owner, start.runId)).toMatchObject({
    purpose: 'task',
    taskId: key.taskId,
    state: 'starting',
  });
  expect(await ask(membership)).toEqual({ action: 'hold', reason: 'spawn_in_progress' });

  const bearer = start.ticket ?? '';
  const signIn = () => world.sessions.authenticate({ bearer, address: '127.0.0.1' });
  const signedIn = await signIn();
  expect(signedIn).toMatchObject({ success: true, purpose: 'task' });
  expect(await signIn(), 'again before its first call').toEqual(signedIn);
  const caller = await world.sessions.resolve(bearer);
  expect(caller).toMatchObject({ ...key, live: true });
  expect(await statusOf(world, membership)).toMatchObject({ chat: 0, task: 1, chatStatus: 'none' });
  expect(await next(caller)).toEqual({ kind: 'work_on_task', taskId: key.taskId });
  expect(await ask(membership)).toEqual({ action: 'hold', reason: 'already_running' });

  await reportTask(world, { caller });
  expect(await next(caller)).toEqual({ kind: 'exit', reason: 'task_done' });
  await world.sessions.logout(caller);
  await exit(start.runId);
  expect(await runOf(world, start.runId)).toMatchObject({ state: 'exited', exitCause: 'finished' });
  expect(await purposes()).toMatchObject([{ taskId: key.taskId, outcome: 'authenticated' }]);
  expect(await systemLines(world, membership), 'the chat hears nothing of it').toEqual([]);
});

describe('trap 7: beside the chat of the same agent', () => {
  it('neither takes the messages of the other', async () => {
    const { membership, chat, task } = await both();
    const message = await post(membership);
    expect(await next(task.caller)).toMatchObject({ kind: 'work_on_task' });
    expect(await givenIds(world, task.caller)).toEqual([]);
    expect(await next(chat.caller)).toMatchObject({ kind: 'get_pending_messages' });
    expect(await givenIds(world, chat.caller)).toEqual([message.id]);
    expect(await statusOf(world, membership)).toMatchObject({ chat: 1, task: 1 });
  });

  it('a message wakes the chat while a task is worked on, and the chat starts first', async () => {
    const membership = await agent();
    const task = await workingOnTask(world, membership);
    const other = await taskInProgress(world, membership);
    await wakeFor(world, other);
    await post(membership);
    expect(await waitingFor(world, membership)).toEqual([other.taskId, 'chat']);
    expect(await takeStart(world, membership)).toMatchObject({
      purpose: 'chat',
      reason: 'has_pending_purpose',
    });
    expect(await takeStart(world, membership)).toMatchObject({ purpose: 'task', taskId: other.taskId });
    expect(await stateOf(task.caller)).toBe('active');
  });

  it('neither ends the other', async () => {
    const { membership, chat, task } = await both();
    await world.chat.end(world.owner, { ...membership, viewerId: 'viewer-1', force: true });
    expect(await next(chat.caller)).toEqual({ kind: 'exit', reason: 'force_ended' });
    expect(await next(task.caller)).toMatchObject({ kind: 'work_on_task' });
    await world.sessions.logout(chat.caller);
    await exit(chat.runId);
    expect(await stateOf(task.caller)).toBe('active');

    await world.warmAgent(membership);
    await world.runs.stop(world.owner, task.runId);
    expect(await next(task.caller)).toEqual({ kind: 'exit', reason: 'run_stopped' });
    expect(await statusOf(world, membership)).toMatchObject({ chat: 1, chatStatus: 'ready' });
  });

  it('a person who stops one leaves to the other what waits for it', async () => {
    const membership = await agent();
    const task = await workingOnTask(world, membership);
    const message = await post(membership);
    await world.runs.stop(world.owner, task.runId);
    expect(await waitingFor(world, membership)).toEqual(['chat']);
    expect((await world.history.byIds([message.id])).get(message.id)?.state).toBe('stored');
    const other = await taskInProgress(world, membership);
    await wakeFor(world, other);
    const { runId } = await takeStart(world, membership);
    await world.runs.stop(world.owner, runId);
    expect(await waitingFor(world, membership)).toEqual([other.taskId]);
  });

  it('a failed run of a task is shown until that task has a newer one, whatever the chat does', async () => {
    const { membership, task } = await both();
    const failed = async () =>
      (await world.inbox.list(world.owner)).items.some(({ refId }) => refId === task.runId);
    // Within the second after which it is started again.
    await world.clock.frozen(async () => {
      await exit(task.runId, 7);
      await reportTask(world, await workingOnTask(world, membership));
      expect(await failed()).toBe(true);
    });
    world.clock.advance(1_000);
    await workOn(world, task.key);
    expect(await failed()).toBe(false);
  });

  it('only the chat is idle, for a task is work', async () => {
    const { chat, task } = await both();
    world.clock.advance(400_000);
    await world.sessions.touch([chat.caller.sessionId, task.caller.sessionId]);
    const late = await workingOnTask(world, chat.caller);
    world.clock.advance(300_000);
    const all = [chat, task, late];
    await world.sessions.touch(all.map(({ caller }) => caller.sessionId));
    await world.coordination.beat(
      beatOf(
        'host-a',
        all.map(({ runId }) => runId),
      ),
    );
    await world.sweeper.runOnce();
    expect(await next(chat.caller)).toEqual({ kind: 'logout', reason: 'session_timeout' });
    expect(await next(task.caller), 'it has work').toMatchObject({ kind: 'work_on_task' });
    expect(await next(late.caller)).toMatchObject({ kind: 'work_on_task' });
  });

  it('a crash of one leaves the other its session, its messages and its wake-up', async () => {
    const { membership, chat, task } = await both();
    const message = await post(membership);
    await givenIds(world, chat.caller);
    await exit(task.runId, 7);
    expect(await runOf(world, task.runId)).toMatchObject({ exitCause: 'crashed' });
    world.clock.advance(1_000);
    await exit((await workOn(world, task.key)).runId, 7);
    expect(await stateOf(task.caller)).toBe('ended');
    expect(await stateOf(chat.caller)).toBe('active');
    expect((await world.history.byIds([message.id])).get(message.id)?.state).toBe('delivered');

    world.clock.advance(2_000);
    const again = await workOn(world, task.key);
    await exit(chat.runId, 7);
    expect(await waitingFor(world, membership), 'the first crash of the chat').toEqual(['chat']);
    expect(await systemLines(world, membership)).toEqual([]);
    expect(await stateOf(again.caller)).toBe('active');
  });

  it('a crash of a task does not let the chat wait', async () => {
    const membership = await agent();
    const task = await workingOnTask(world, membership);
    await post(membership);
    await exit(task.runId, 7);
    expect(await takeStart(world, membership)).toMatchObject({ purpose: 'chat' });
  });

  it('is not held by a chat that is ending, nor does it hold one', async () => {
    const { membership, chat, task } = await both();
    await world.chat.newContext(world.owner, membership);
    await world.sessions.acknowledged([chat.caller.sessionId]);
    const other = await taskInProgress(world, membership);
    await wakeFor(world, other);
    expect(await takeStart(world, membership)).toMatchObject({ taskId: other.taskId });
    expect(await ask(membership)).toEqual({ action: 'hold', reason: 'session_ending' });
    await world.sessions.logout(chat.caller);
    expect(await takeStart(world, membership)).toMatchObject({ purpose: 'chat' });
    expect(await stateOf(task.caller)).toBe('active');
  });
});

describe('a start for a task', () => {
  it('is taken once, by however many Coordinators; two tasks are two starts', async () => {
    const membership = await agent();
    const one = await taskInProgress(world, membership);
    const other = await taskInProgress(world, membership);
    await wakeFor(world, one);
    await wakeFor(world, other);
    const own = coordinationOnOwnConnections(world, 4);
    const asks = [world.coordination, own.coordination, world.coordination, own.coordination];
    const actions = await Promise.all(
      asks.map((from, index) => from.getAgentAction({ ...membership, coordinatorId: `host-${index % 2}` })),
    );
    await own.close();
    const started = actions.flatMap((action) => (action.action === 'start' ? [action.taskId] : []));
    expect(started.toSorted()).toEqual([one.taskId, other.taskId].toSorted());
  });

  it('waits for the process of the one before, whose session is over', async () => {
    const membership = await agent();
    const task = await workingOnTask(world, membership);
    await world.sessions.logout(task.caller);
    await wakeFor(world, task.key);
    expect(await ask(membership)).toEqual({ action: 'hold', reason: 'session_ending' });
    expect((await world.coordination.work('host-a')).pairs).not.toContainEqual(membership);
    world.clock.advance(301_000);
    await world.coordination.beat(beatOf('host-a', [task.runId]));
    await world.sweeper.runOnce();
    expect(await waitingFor(world, membership), 'its clock rests meanwhile').toEqual([task.key.taskId]);
    await exit(task.runId);
    expect((await world.coordination.work('host-a')).pairs).toContainEqual(membership);
    expect(await takeStart(world, membership)).toMatchObject({ taskId: task.key.taskId });
  });

  it('needs a task in progress of its own, in a project that is not paused; the chat does not', async () => {
    const membership = await agent();
    const chat = await world.warmAgent(membership);
    const key = await taskInProgress(world, membership);
    await wakeFor(world, key);
    await world.projects.update(world.owner, membership.projectId, { status: 'paused' });
    expect(await ask(membership)).toEqual({ action: 'hold', reason: 'project_paused' });
    expect((await world.coordination.work('host-a')).pairs).not.toContainEqual(membership);
    await world.sessions.logout(chat.caller);
    await world.chat.start(world.owner, membership);
    expect(await takeStart(world, membership), 'trap 11').toMatchObject({ purpose: 'chat' });
    await world.projects.update(world.owner, membership.projectId, { status: 'active' });
    await world.database.db
      .updateTable('tasks')
      .set({ status: 'blocked' })
      .where('projectId', '=', membership.projectId)
      .execute();
    expect(await ask(membership)).toEqual({ action: 'hold', reason: 'blocked_without_in_progress' });
    expect((await world.coordination.work('host-a')).pairs).not.toContainEqual(membership);
  });

  it('is tried three times, then given up without a word or a loss in the chat', async () => {
    const membership = await agent();
    await world.warmAgent(membership);
    const message = await post(membership);
    const key = await taskInProgress(world, membership);
    await wakeFor(world, key);
    for (const pauseMs of [1_000, 2_000, 0]) {
      const { runId } = await takeStart(world, membership);
      await exit(runId, 3);
      world.clock.advance(pauseMs);
    }
    expect(await waitingFor(world, membership)).toEqual([]);
    expect(await outcomesOf(world, membership)).toEqual(['authenticated', 'expired']);
    expect(await systemLines(world, membership)).toEqual([]);
    expect((await world.history.byIds([message.id])).get(message.id)?.state).toBe('stored');
  });

  it('expires by itself: the wake-up of the chat and what waits there stay', async () => {
    const membership = await agent();
    const key = await taskInProgress(world, membership);
    await wakeFor(world, key);
    const { runId, ticket } = await takeStart(world, membership);
    world.clock.advance(200_000);
    await world.coordination.beat({ ...beatOf('host-a'), running: [runId] });
    const message = await post(membership);
    world.clock.advance(101_000);
    expect(await world.sessions.authenticate({ bearer: ticket ?? '', address: '127.0.0.1' })).toMatchObject({
      success: false,
    });
    expect(await waitingFor(world, membership), 'the task once more').toEqual(['chat', key.taskId]);
    expect(await runOf(world, runId)).toMatchObject({ stopReason: 'timeout' });
    expect((await world.history.byIds([message.id])).get(message.id)?.state).toBe('stored');
    expect(await systemLines(world, membership)).toEqual([]);

    await exit(runId);
    world.clock.advance(301_000);
    await world.sweeper.runOnce();
    const outcomes = await outcomesOf(world, membership);
    expect(outcomes, 'two that nobody picked up, by the sweeper').toEqual(Array(3).fill('expired'));
    expect(await waitingFor(world, membership), 'a task waits for its agent').toEqual([key.taskId]);
    expect(await systemLines(world, membership), 'the line is that of the chat').toHaveLength(1);
  });

  it('waits for a place in one queue with chats', async () => {
    const [membership, other] = [await agent(), await agent()];
    await world.coordination.beat(beatOf('host-small', [], 1));
    const key = await taskInProgress(world, membership);
    await wakeFor(world, key);
    const { caller } = await world.signIn(key, 'host-small');
    const second = await taskInProgress(world, membership);
    await wakeFor(world, second);
    expect(await ask(membership, 'host-small')).toEqual({ action: 'hold', reason: 'capacity' });
    world.clock.advance(1);
    await world.chat.start(world.owner, other);
    expect(await ask(other, 'host-small')).toEqual({ action: 'hold', reason: 'capacity' });
    expect(await statusOf(world, other)).toMatchObject({ chatStatus: 'queued', position: 2 });
    expect(await stateOf(caller), 'who works on a task makes no room').toBe('active');
    expect(await ask(membership)).toMatchObject({ taskId: second.taskId });
    expect(await statusOf(world, other)).toMatchObject({ position: 1 });
    expect(await ask(other)).toMatchObject({ purpose: 'chat' });
  });
});

describe('an agent that goes away', () => {
  it('takes all its sessions and wake-ups along', async () => {
    const { membership, chat, task } = await both();
    await wakeFor(world, await taskInProgress(world, membership));
    await world.projects.removeAgent(world.owner, membership);
    expect(await waitingFor(world, membership)).toEqual([]);
    for (const { caller } of [chat, task])
      expect(await next(caller)).toEqual({ kind: 'exit', reason: 'removed_from_project' });
  });
});
