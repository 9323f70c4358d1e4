import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentCaller } from '../../src/core/access/agent-caller.ts';
import type { WorkKey } from '../../src/core/rules/work-key.ts';
import { AgentTasks } from '../../src/core/tasks/agent-tasks.ts';
import { AgentWork } from '../../src/core/tasks/agent-work.ts';
import { TaskRecordService } from '../../src/core/tasks/task-record-service.ts';
import { TaskService } from '../../src/core/tasks/task-service.ts';
import { ServiceWorld, type WorldAgent } from '../../src/testing/service-world.ts';
import {
  expectInvariants,
  nextAction,
  rawClient,
  runOf,
  sessionOf,
  statusOf,
  takeStart,
  untilBlocked,
  untilLater,
} from '../chat/chat-support.ts';
import { ask } from '../questions/question-support.ts';
import { beatOf, waitingFor } from './task-work-support.ts';

/* A task that a person moves to in_progress: its session, its attempts, and what ends them. */

let world: ServiceWorld;
let board: TaskService;
let work: AgentWork;
beforeAll(async () => {
  world = await ServiceWorld.create();
  board = new TaskService(world.deps);
  work = new AgentWork(world.deps);
});
afterAll(async () => {
  await expectInvariants(world);
  await world.close();
});

const agent = () => world.agentInProject({ maxParallelTasks: 3 });
const askFor = (membership: WorldAgent) =>
  world.coordination.getAgentAction({ ...membership, coordinatorId: 'host-a' });
const next = ({ sessionId }: AgentCaller) => nextAction(world, sessionId);
const exit = (runId: string, exitCode = 7, stderrTail = 'it broke\n') =>
  world.coordination.reportProcessExit({ runId, exitCode, stderrTail });

async function newTask({ projectId, agentId }: WorldAgent, more: object = {}): Promise<string> {
  const body = { title: 'Do it', status: 'todo', assigneeId: agentId, ...more } as const;
  return (await board.create(world.owner, projectId, body)).id;
}

async function change(taskId: string, values: Omit<Parameters<TaskService['update']>[2], 'version'>) {
  const { version } = await board.get(world.owner, taskId);
  return board.update(world.owner, taskId, { version, ...values });
}

async function attemptsOf(taskId: string) {
  const { rows } = await world.database.pool.query(
    'select n, agent_id, outcome, summary, ended_at is not null as ended from task_attempts where task_id = $1 order by n',
    [taskId],
  );
  return rows;
}
const outcomesOf = async (taskId: string) => (await attemptsOf(taskId)).map(({ outcome }) => outcome);
const statusOfTask = async (taskId: string) => (await board.get(world.owner, taskId)).status;
const historyOf = async (taskId: string) => {
  const { rows } = await world.database.pool.query(
    'select field, to_value as "to" from task_history where task_id = $1',
    [taskId],
  );
  return rows;
};
const commentsOf = async (taskId: string): Promise<string[]> => {
  const { rows } = await world.database.pool.query(
    'select body from task_comments where task_id = $1 order by created_at, id',
    [taskId],
  );
  return rows.map(({ body }) => body);
};

/** A task that a person has begun, and the session that works on it. */
async function working(membership: WorldAgent, more: object = {}) {
  const taskId = await newTask(membership, more);
  await change(taskId, { status: 'in_progress' });
  return { taskId, ...(await world.signIn(membership)) };
}

async function untilStarts(membership: WorldAgent) {
  world.clock.advance(60_000);
  return world.signIn(membership);
}

it('an attempt says what it has used, and one that used nothing says nothing', async () => {
  const membership = await agent();
  const records = new TaskRecordService(world.deps);
  const used = await working(membership);
  const usage = { inputTokens: 1_200, outputTokens: 34, durationMs: 900, costUsd: 0.02 };
  for (const { usage: one } of [{ usage }, { usage }])
    await world.delivery.respond(used.caller, { done: false, targetAgentId: 'user', usage: one });
  await work.report(used.caller, { result: 'done', summary: 'It is done.' });
  expect((await records.attempts(world.owner, used.taskId)).attempts).toMatchObject([
    { outcome: 'done', usage: { inputTokens: 2_400, outputTokens: 68, costUsd: 0.04 } },
  ]);
  const unused = await working(membership);
  const [attempt] = (await records.attempts(world.owner, unused.taskId)).attempts;
  expect(attempt).toMatchObject({ n: 1 });
  expect(attempt?.usage).toBeUndefined();
});

describe('a move to in_progress', () => {
  it('wakes the agent in the same transaction; a task of a person or of nobody wakes nobody', async () => {
    const membership = await agent();
    const taskId = await newTask(membership);
    expect(await waitingFor(world, membership)).toEqual([]);
    await change(taskId, { status: 'in_progress' });
    expect(await waitingFor(world, membership)).toEqual([taskId]);
    expect(await takeStart(world, membership)).toMatchObject({ reason: 'has_in_progress_task', taskId });
    expect(await attemptsOf(taskId)).toMatchObject([{ n: 1, agent_id: membership.agentId, outcome: null }]);

    const other = await agent();
    for (const assigneeId of [world.owner.id, undefined]) {
      const id = await newTask(other, { assigneeId });
      await change(id, { status: 'in_progress' });
    }
    expect(await waitingFor(world, other)).toEqual([]);
  });

  it('is undone before anybody has started it', async () => {
    const membership = await agent();
    const taskId = await newTask(membership, { status: 'in_progress' });
    expect(await waitingFor(world, membership)).toEqual([taskId]);
    await change(taskId, { status: 'todo' });
    expect(await waitingFor(world, membership)).toEqual([]);
    expect(await askFor(membership)).toEqual({ action: 'hold', reason: 'no_pending_work' });
  });

  it('takes back a start whose process has not signed in', async () => {
    const membership = await agent();
    const taskId = await newTask(membership, { status: 'in_progress' });
    const { runId, ticket } = await takeStart(world, membership);
    await change(taskId, { status: 'cancelled' });
    expect(await runOf(world, runId)).toMatchObject({ stopReason: 'task_cancelled' });
    const late = await world.sessions.authenticate({ bearer: ticket ?? '', address: '127.0.0.1' });
    expect(late).toMatchObject({ success: false });
    await exit(runId);
    expect(await outcomesOf(taskId)).toEqual(['cancelled']);
    expect(await waitingFor(world, membership)).toEqual([]);
  });
});

describe('the session of a task', () => {
  it('is told its task once it has acknowledged that, and again while it has not', async () => {
    const { caller, taskId } = await working(await agent());
    expect(await next(caller)).toEqual({ kind: 'work_on_task', taskId });
    expect(await work.offer(caller)).toEqual({ repeat: false });
    expect(await work.offer(caller)).toEqual({ repeat: true });
    expect(await next(caller)).toEqual({ kind: 'work_on_task', taskId });
    await world.receipts.received(caller, [`task:tsk_other`]);
    expect(await next(caller)).toEqual({ kind: 'work_on_task', taskId });
    await world.receipts.received(caller, [`task:${taskId}`]);
    expect(await next(caller)).toEqual({ kind: 'wait' });
  });

  it('is told by a response that was written when it knows no receipts, and ten times when it does', async () => {
    const { caller, taskId } = await working(await agent());
    const written = () => world.receipts.written(caller, { kind: 'task', taskId });
    await world.receipts.received(caller, ['task:unknown']);
    for (let times = 0; times < 9; times += 1) await written();
    expect(await next(caller)).toMatchObject({ kind: 'work_on_task' });
    await written();
    expect(await next(caller)).toEqual({ kind: 'wait' });
    const simple = await working(await agent());
    await world.receipts.written(simple.caller, { kind: 'task', taskId: simple.taskId });
    expect(await next(simple.caller)).toEqual({ kind: 'wait' });
  });

  it('reads the task, and what was before it', async () => {
    const membership = await agent();
    const first = await working(membership, { title: 'First' });
    await work.report(first.caller, { result: 'success', summary: 'The first is in first.md.' });
    const { caller, taskId } = await working(membership, { title: 'Second', dependsOn: [first.taskId] });
    await work.saveContext(caller, { text: 'Half of it.' });
    await new AgentTasks(world.deps).move(caller, { taskId, status: 'in_progress', comment: 'Going on.' });
    expect(await work.get(caller)).toMatchObject({
      task: { id: taskId, title: 'Second', status: 'in_progress' },
      attempt: 1,
      notes: [{ attempt: 1, text: 'Half of it.' }],
      comments: [{ authorId: membership.agentId, text: 'Going on.' }],
      attempts: [],
      dependencies: [{ title: 'First', status: 'done', summary: 'The first is in first.md.' }],
    });
  });

  it('only it may: a chat of the same agent is refused', async () => {
    const membership = await agent();
    const { caller } = await world.warmAgent(membership);
    await working(membership);
    const refused = { code: 'not_a_task_session' };
    await expect(work.get(caller)).rejects.toMatchObject(refused);
    await expect(work.saveContext(caller, { text: 'x' })).rejects.toMatchObject(refused);
    await expect(work.report(caller, { result: 'done', summary: 'x' })).rejects.toMatchObject(refused);
  });

  it('may ask people when a person has begun its task', async () => {
    const byPerson = await working(await agent());
    expect(await world.questions.ask(byPerson.caller, { questions: ask('Which?') })).toMatchObject({
      status: 'pending',
    });
    const membership = await agent();
    const maker = await world.warmAgent(await world.colleague(membership));
    await new AgentTasks(world.deps).create(maker.caller, {
      title: 'By an agent',
      status: 'in_progress',
      assigneeId: membership.agentId,
    });
    const byAgent = await world.signIn(membership);
    expect(await world.questions.ask(byAgent.caller, { questions: ask('Which?') })).toMatchObject({
      status: 'unavailable',
    });
  });

  it('is not idle while it works, and ends with its turn', async () => {
    const membership = await agent();
    const { caller, runId, taskId } = await working(membership);
    const silence = async (seconds: number) => {
      world.clock.advance(seconds * 1_000);
      await world.sessions.touch([caller.sessionId]);
      await world.coordination.beat(beatOf('host-a', [runId]));
      await world.sweeper.runOnce();
      return (await sessionOf(world, caller.sessionId)).state;
    };
    expect(await silence(3_000)).toBe('active');
    await work.saveContext(caller, { text: 'Still at it.' });
    expect(await silence(3_000)).toBe('active');
    expect(await silence(700)).toBe('ended');
    expect(await runOf(world, runId)).toMatchObject({ exitCause: 'stalled' });
    expect(await outcomesOf(taskId)).toEqual(['crashed']);
    expect(await waitingFor(world, membership)).toEqual([taskId]);
  });
});

describe('a task whose folder another agent works in', () => {
  it('waits for it however long that takes, as long as its process asks', async () => {
    const membership = await agent();
    const other = await world.colleague(membership);
    for (const { agentId } of [membership, other])
      await world.agents.update(world.owner, agentId, { provider: 'claude' });
    const first = await working(membership);
    await world.receipts.written(first.caller, { kind: 'task', taskId: first.taskId });
    const second = await working(other);
    const runs = [first.runId, second.runId];
    const hourPasses = async (asking: AgentCaller[]) => {
      world.clock.advance(3_000_000);
      await world.sessions.touch(asking.map(({ sessionId }) => sessionId));
      await world.coordination.beat(beatOf('host-a', runs));
      await work.saveContext(first.caller, { text: 'Still at it.' });
      await world.sweeper.runOnce();
      return (await sessionOf(world, second.caller.sessionId)).state;
    };
    for (let hour = 0; hour < 3; hour += 1) {
      expect(await next(second.caller)).toEqual({ kind: 'wait', folderOf: membership.projectId });
      expect(await hourPasses([first.caller, second.caller])).toBe('active');
    }
    await work.report(first.caller, { result: 'done', summary: 'The folder is free.' });
    await world.sessions.logout(first.caller);
    expect(await next(second.caller)).toEqual({ kind: 'work_on_task', taskId: second.taskId });
    expect(await outcomesOf(second.taskId)).toEqual([null]);
  });

  it('keeps nobody from the folder before it is told, though its session has the answer to an earlier one', async () => {
    const membership = await agent();
    const other = await world.colleague(membership);
    for (const { agentId } of [membership, other])
      await world.agents.update(world.owner, agentId, { provider: 'claude' });
    const chat = await world.warmAgent(other);
    const died = await working(membership);
    await world.receipts.written(died.caller, { kind: 'task', taskId: died.taskId });
    const { toolUseId } = await world.questions.ask(died.caller, { questions: ask('Which?') });
    await exit(died.runId);
    await world.chat.post(world.owner, { ...other, content: 'Edit it' });
    await world.delivery.take(chat.caller);
    await world.questions.answer(world.owner, toolUseId, { '0': '0' });
    world.clock.advance(2_000);
    await world.coordination.beat(beatOf('host-a', [chat.runId]));
    const { caller } = await world.signIn(membership);
    expect(await next(caller)).toEqual({ kind: 'wait', folderOf: membership.projectId });
    await world.chat.post(world.owner, { ...other, content: 'And this' });
    expect(await next(chat.caller)).toEqual({ kind: 'get_pending_messages', again: false });
  });

  it('is told to one of two that are told at the same time; the chat of the first says for which task it waits', async () => {
    const membership = await agent();
    const other = await world.colleague(membership);
    for (const { agentId } of [membership, other])
      await world.agents.update(world.owner, agentId, { provider: 'claude' });
    const chat = await world.warmAgent(membership);
    const first = await working(membership);
    await untilLater(world);
    const works = [first, await working(other)];
    const offers = await Promise.all(works.map(({ caller }) => work.offer(caller)));
    expect(offers, 'the first in line').toEqual([{ repeat: false }, undefined]);
    const waiting = await world.runs.list(world.owner, other.projectId, {
      agentId: other.agentId,
      limit: 10,
    });
    expect(waiting.runs).toMatchObject([{ taskId: works[1]?.taskId, waitsForAgentId: membership.agentId }]);
    // It has not said that it has heard it, and may be at work.
    await world.chat.post(world.owner, { ...membership, content: 'How far are you?' });
    expect(await next(chat.caller)).toEqual({ kind: 'wait', folderOf: membership.projectId });
    expect(await statusOf(world, membership)).toMatchObject({
      reason: 'folder_in_use',
      waitsForAgentId: membership.agentId,
      waitsForTask: { id: first.taskId, title: 'Do it' },
    });
    // Whoever has a worktree of its own waits for nobody.
    const apart = await agent();
    await world.agents.update(world.owner, apart.agentId, { provider: 'claude' });
    await world.projects.update(world.owner, apart.projectId, { isolation: 'worktree' });
    const apartChat = await world.warmAgent(apart);
    const { caller } = await working(apart);
    await work.offer(caller);
    await world.chat.post(world.owner, { ...apart, content: 'How far are you?' });
    expect(await next(apartChat.caller)).toMatchObject({ kind: 'get_pending_messages' });
  });
});

describe('a report', () => {
  it('ends attempt, comment, status and session in one', async () => {
    const membership = await agent();
    const { caller, taskId, runId } = await working(membership);
    const task = await work.report(caller, { result: 'done', summary: 'It is in the file.' });
    expect(task).toMatchObject({ id: taskId, status: 'done' });
    expect(await attemptsOf(taskId)).toMatchObject([{ outcome: 'done', summary: 'It is in the file.' }]);
    expect(await commentsOf(taskId)).toEqual(['It is in the file.']);
    expect(await next(caller)).toEqual({ kind: 'exit', reason: 'task_done' });
    await world.sessions.logout(caller);
    await exit(runId, 0);
    expect(await runOf(world, runId)).toMatchObject({ exitCause: 'finished' });
    expect(await waitingFor(world, membership)).toEqual([]);
    expect(await statusOf(world, membership)).toMatchObject({ task: 0 });
  });

  it('of a task that is blocked waits in the inbox', async () => {
    const { caller, taskId } = await working(await agent());
    await work.report(caller, { result: 'failed', summary: 'The key is missing.' });
    expect(await statusOfTask(taskId)).toBe('blocked');
    expect(await outcomesOf(taskId)).toEqual(['blocked']);
    expect(await next(caller)).toEqual({ kind: 'exit', reason: 'task_blocked' });
    const { items } = await world.inbox.list(world.owner);
    expect(items).toContainEqual(expect.objectContaining({ kind: 'blocked_task', refId: taskId }));
  });

  it('is taken once by its key, and refused when the task was taken away', async () => {
    const { caller, taskId } = await working(await agent());
    const order = { result: 'done', summary: 'All.', idempotencyKey: 'k' } as const;
    const [one, other] = await Promise.all([work.report(caller, order), work.report(caller, order)]);
    expect([one.version, other.version]).toEqual([one.version, one.version]);
    expect(await commentsOf(taskId)).toEqual(['All.']);
    // A model that has not read the response says it again, without a key.
    const again = { result: 'success', summary: 'All of it.' } as const;
    expect((await work.report(caller, again)).version).toBe(one.version);
    await expect(work.report(caller, { result: 'blocked', summary: 'No.' })).rejects.toMatchObject({
      code: 'task_not_in_progress',
      message: expect.stringContaining('already'),
    });
    expect(await commentsOf(taskId)).toEqual(['All.']);

    const taken = await working(await agent());
    await change(taken.taskId, { status: 'cancelled' });
    await expect(work.report(taken.caller, order)).rejects.toMatchObject({ code: 'task_not_in_progress' });
    expect(await statusOfTask(taken.taskId)).toBe('cancelled');
    expect(await commentsOf(taken.taskId)).toEqual([]);
  });

  it('may be a move by the board, too', async () => {
    const { caller, taskId } = await working(await agent());
    await new AgentTasks(world.deps).move(caller, { taskId, status: 'done' });
    expect(await outcomesOf(taskId)).toEqual(['done']);
    expect(await next(caller)).toEqual({ kind: 'exit', reason: 'task_done' });
  });
});

describe('a person takes the work away', () => {
  const cases: [string, (taskId: string, membership: WorldAgent) => Promise<unknown>, string, string][] = [
    ['blocked', (id) => change(id, { status: 'blocked' }), 'task_blocked', 'blocked'],
    ['cancelled', (id) => change(id, { status: 'cancelled' }), 'task_cancelled', 'cancelled'],
    ['done', (id) => change(id, { status: 'done' }), 'task_done', 'done'],
    ['put back', (id) => change(id, { status: 'todo' }), 'task_reassigned', 'taken_away'],
    ['unassigned', (id) => change(id, { assigneeId: null }), 'task_reassigned', 'taken_away'],
    ['deleted', (id) => board.remove(world.owner, id), 'task_cancelled', 'cancelled'],
  ];
  it.each(cases)('%s: the session is told, and nothing starts', async (_, take, reason, outcome) => {
    const membership = await agent();
    const { caller, taskId, runId } = await working(membership);
    world.dirtyKeys.length = 0;
    await take(taskId, membership);
    expect(world.dirtyKeys, 'its held call is woken').toContain(
      `a:${membership.projectId}/${membership.agentId}`,
    );
    expect(await next(caller)).toEqual({ kind: 'exit', reason });
    expect(await outcomesOf(taskId)).toEqual([outcome]);
    await work.saveContext(caller, { text: 'Where it stands.' });
    await world.sessions.logout(caller);
    await exit(runId, 0);
    expect(await outcomesOf(taskId)).toEqual([outcome]);
    expect(await waitingFor(world, membership)).toEqual([]);
  });

  it('and gives it to another agent, which is started', async () => {
    const membership = await agent();
    const other = await world.colleague(membership);
    const { caller, taskId } = await working(membership);
    await change(taskId, { assigneeId: other.agentId });
    expect(await next(caller)).toEqual({ kind: 'exit', reason: 'task_reassigned' });
    expect(await takeStart(world, other)).toMatchObject({ taskId });
    expect(await attemptsOf(taskId)).toMatchObject([
      { agent_id: membership.agentId, outcome: 'taken_away' },
      { agent_id: other.agentId, outcome: null },
    ]);
  });

  it('and what it saves then is of its own attempt', async () => {
    const membership = await agent();
    const other = await world.colleague(membership);
    const { caller, taskId } = await working(membership);
    await change(taskId, { assigneeId: other.agentId });
    const theirs = await world.signIn(other);
    await work.saveContext(caller, { text: 'As far as I came.' });
    expect((await work.get(caller)).attempt).toBe(1);
    expect(await work.get(theirs.caller)).toMatchObject({
      attempt: 2,
      notes: [{ attempt: 1, text: 'As far as I came.' }],
    });
  });

  it('and who has lost it moves it no more, whatever it has not heard yet', async () => {
    const membership = await agent();
    const other = await world.colleague(membership);
    const { caller, taskId } = await working(membership);
    await change(taskId, { assigneeId: other.agentId });
    const theirs = await world.signIn(other);
    const tasks = new AgentTasks(world.deps);
    for (const status of ['done', 'blocked', 'todo'] as const)
      await expect(tasks.move(caller, { taskId, status })).rejects.toMatchObject({
        code: 'task_not_in_progress',
      });
    expect(await next(theirs.caller)).toEqual({ kind: 'work_on_task', taskId });
    await tasks.move(caller, { taskId, status: 'in_progress', comment: 'What I know of it.' });
    expect(await commentsOf(taskId)).toEqual(['What I know of it.']);
    expect(await outcomesOf(taskId)).toEqual(['taken_away', null]);

    await change(taskId, { status: 'blocked' });
    const onward = { taskId, status: 'in_progress', comment: 'Going on.' } as const;
    for (const one of [caller, theirs.caller])
      await expect(tasks.move(one, onward)).rejects.toMatchObject({ code: 'task_not_in_progress' });
    expect(await statusOfTask(taskId)).toBe('blocked');
  });

  it('and gives it back at once: the next start waits for the end of the process', async () => {
    const membership = await agent();
    const { caller, taskId, runId } = await working(membership);
    await change(taskId, { status: 'blocked' });
    await change(taskId, { status: 'in_progress' });
    expect(await next(caller)).toEqual({ kind: 'exit', reason: 'task_blocked' });
    await world.sessions.logout(caller);
    expect(await askFor(membership)).toEqual({ action: 'hold', reason: 'session_ending' });
    await exit(runId, 0);
    expect(await takeStart(world, membership)).toMatchObject({ taskId });
    expect(await outcomesOf(taskId)).toEqual(['blocked', null]);
  });

  it('by stopping its process: it is blocked until somebody moves it on', async () => {
    const membership = await agent();
    const { caller, taskId, runId } = await working(membership);
    await world.runs.stop(world.owner, runId);
    expect(await next(caller)).toEqual({ kind: 'exit', reason: 'run_stopped' });
    expect(await statusOfTask(taskId)).toBe('blocked');
    await exit(runId);
    expect(await outcomesOf(taskId)).toEqual(['stopped']);
    world.clock.advance(5_000);
    await world.sweeper.runOnce();
    expect(await waitingFor(world, membership)).toEqual([]);
    await change(taskId, { status: 'in_progress' });
    expect(await takeStart(world, membership)).toMatchObject({ taskId });
  });
});

describe('an attempt that fails', () => {
  it('is tried again after a pause, with what was saved; after three in a row the task is blocked', async () => {
    const membership = await agent();
    const first = await working(membership);
    const { taskId } = first;
    await work.saveContext(first.caller, { text: 'Step 1 is done.' });
    await world.clock.frozen(async () => {
      await exit(first.runId);
      expect(await askFor(membership)).toEqual({ action: 'hold', reason: 'cooling_down' });
    });
    const second = await untilStarts(membership);
    expect(await next(second.caller)).toEqual({ kind: 'work_on_task', taskId });
    expect(await work.get(second.caller)).toMatchObject({
      attempt: 2,
      notes: [{ attempt: 1, text: 'Step 1 is done.' }],
      attempts: [{ n: 1, outcome: 'crashed', summary: 'exit code 7\nit broke' }],
    });
    // Leaving without a report is a failure, too.
    await world.sessions.logout(second.caller);
    await exit(second.runId, 0, '');
    expect(await runOf(world, second.runId)).toMatchObject({ exitCause: 'crashed' });
    expect(await statusOfTask(taskId)).toBe('in_progress');
    const third = await untilStarts(membership);
    await exit(third.runId, 0, '');
    expect(await outcomesOf(taskId)).toEqual(['crashed', 'crashed', 'crashed']);
    expect(await statusOfTask(taskId)).toBe('blocked');
    world.clock.advance(120_000);
    await world.sweeper.runOnce();
    expect(await waitingFor(world, membership)).toEqual([]);
    const { items } = await world.inbox.list(world.owner);
    expect(items).toContainEqual(expect.objectContaining({ kind: 'blocked_task', refId: taskId }));

    await change(taskId, { status: 'in_progress' });
    const fourth = await world.signIn(membership);
    await exit(fourth.runId);
    expect(await statusOfTask(taskId), 'counted anew').toBe('in_progress');
  });

  it('blocks it at the end of the column, as every move does', async () => {
    const membership = await agent();
    const { taskId, runId } = await working(membership);
    world.clock.advance(60_000);
    const before = await newTask(membership, { status: 'blocked' });
    world.clock.advance(60_000);
    await world.runs.stop(world.owner, runId);
    const [last, first] = [await board.get(world.owner, taskId), await board.get(world.owner, before)];
    expect(last.status).toBe('blocked');
    expect(last.position).toBeGreaterThan(first.position);
  });

  it('before its sign-in counts as well', async () => {
    const membership = await agent();
    const taskId = await newTask(membership, { status: 'in_progress' });
    for (let times = 0; times < 3; times += 1) {
      const { runId } = await takeStart(world, membership);
      await world.coordination.reportProcessExit({ runId, exitCode: null, error: 'command not found: x' });
      world.clock.advance(60_000);
    }
    expect(await statusOfTask(taskId)).toBe('blocked');
    expect(await attemptsOf(taskId)).toMatchObject(Array(3).fill({ summary: 'command not found: x' }));
    expect(await waitingFor(world, membership)).toEqual([]);
  });

  it('by a turn without an end counts as well, also of a session that no Coordinator has started', async () => {
    const membership = await agent();
    await world.agents.setPasskey(world.owner, membership.agentId, { passkey: 'passkey-of-it' });
    const taskId = await newTask(membership, { status: 'in_progress' });
    for (let times = 0; times < 3; times += 1) {
      expect(
        await world.sessions.authenticate({
          ...membership,
          passkey: 'passkey-of-it',
          purpose: 'task',
          address: '127.0.0.1',
        }),
      ).toMatchObject({ purpose: 'task' });
      world.clock.advance(3_600_000);
      await world.sweeper.runOnce();
    }
    expect(await outcomesOf(taskId)).toEqual(['crashed', 'crashed', 'crashed']);
    expect(await statusOfTask(taskId)).toBe('blocked');
    expect(await waitingFor(world, membership)).toEqual([]);
  });

  it('by no fault of its own is not counted', async () => {
    const membership = await agent();
    const { taskId, runId } = await working(membership);
    await world.coordination.reportProcessExit({ runId, exitCode: null, signal: 'SIGTERM', cause: 'killed' });
    for (let times = 0; times < 4; times += 1) {
      const again = await world.signIn(membership);
      await world.coordination.reportProcessExit({ runId: again.runId, exitCode: null, cause: 'killed' });
    }
    expect(await outcomesOf(taskId)).toEqual(Array(5).fill('stopped'));
    expect(await statusOfTask(taskId)).toBe('in_progress');
    expect(await waitingFor(world, membership)).toEqual([taskId]);
  });
});

describe('trap 11: a paused project', () => {
  it('holds its tasks, whose sessions are told, and never the chat; active again, they start', async () => {
    const membership = await agent();
    const chat = await world.warmAgent(membership);
    const { caller, taskId, runId } = await working(membership);
    await world.projects.update(world.owner, membership.projectId, { status: 'paused' });
    expect(await next(caller)).toEqual({ kind: 'exit', reason: 'project_paused' });
    await world.sessions.logout(caller);
    await exit(runId, 0);
    expect(await outcomesOf(taskId)).toEqual(['stopped']);
    expect((await sessionOf(world, chat.caller.sessionId)).state).toBe('active');
    await world.sessions.logout(chat.caller);
    expect(await askFor(membership)).toEqual({ action: 'hold', reason: 'project_paused' });
    await change(await newTask(membership), { status: 'in_progress' });
    world.clock.advance(5_000);
    await world.sweeper.runOnce();
    expect(await waitingFor(world, membership)).toEqual([]);
    await world.chat.start(world.owner, membership);
    expect(await takeStart(world, membership)).toMatchObject({ purpose: 'chat' });

    await world.projects.update(world.owner, membership.projectId, { status: 'active' });
    await world.sweeper.runOnce();
    expect(await waitingFor(world, membership)).toHaveLength(3);
    expect(await takeStart(world, membership)).toMatchObject({ purpose: 'task' });
  });

  it('and a blocked task does not block the chat either', async () => {
    const membership = await agent();
    await change((await working(membership)).taskId, { status: 'blocked' });
    await world.chat.post(world.owner, { ...membership, content: 'hi' });
    expect(await takeStart(world, membership)).toMatchObject({ purpose: 'chat' });
  });
});

describe('the sweeper', () => {
  it('starts what was missed, once, and nothing that is worked on', async () => {
    const membership = await agent();
    const running = await working(membership);
    const missed = await newTask(membership, { status: 'in_progress' });
    const waiting = await newTask(membership, { status: 'in_progress' });
    await world.database.pool.query('delete from pending_agent_purposes where task_id = $1', [missed]);
    world.clock.advance(3_000);
    await world.coordination.beat(beatOf('host-a', [running.runId]));
    await world.sessions.touch([running.caller.sessionId]);
    await world.sweeper.runOnce();
    await world.sweeper.runOnce();
    expect((await waitingFor(world, membership)).toSorted()).toEqual([missed, waiting].toSorted());
  });
});

describe('the sweeper beside a pause that is not committed yet', () => {
  it('wakes nobody, so that nothing is begun behind it', async () => {
    const membership = await agent();
    const taskId = await newTask(membership, { status: 'in_progress' });
    await world.database.pool.query('delete from pending_agent_purposes where task_id = $1', [taskId]);
    world.clock.advance(3_000);
    const pause = await rawClient(world);
    await pause.query('begin');
    await pause.query('select from projects where id = $1 for no key update', [membership.projectId]);
    const swept = world.sweeper.runOnce();
    await Promise.race([swept, untilBlocked(world, 1)]);
    expect(await askFor(membership)).toEqual({ action: 'hold', reason: 'no_pending_work' });
    await pause.query("update projects set status = 'paused' where id = $1", [membership.projectId]);
    await pause.query('commit');
    await pause.end();
    await swept;
    expect(await waitingFor(world, membership)).toEqual([]);
  });
});

describe('whoever goes away', () => {
  it('does not begin what it had done before: opened again, that is nobody’s', async () => {
    const membership = await agent();
    const done = await newTask(membership, { status: 'done' });
    const cancelled = await newTask(membership, { status: 'cancelled' });
    const kept = await newTask(membership, { status: 'done', assigneeId: world.owner.id });
    await world.projects.removeAgent(world.owner, membership);
    expect((await board.get(world.owner, done)).assigneeId).toBe(membership.agentId);
    const open = async (id: string, status: 'todo' | 'backlog') => (await change(id, { status })).assigneeId;
    expect(await open(done, 'todo')).toBeUndefined();
    expect(await open(cancelled, 'backlog')).toBeUndefined();
    expect(await open(kept, 'todo')).toBe(world.owner.id);
    expect(await historyOf(done)).toContainEqual({ field: 'assigneeId', to: null });
  });

  it('leaves its tasks to nobody, and its attempts are over', async () => {
    const membership = await agent();
    const { caller, taskId } = await working(membership);
    await world.projects.removeAgent(world.owner, membership);
    expect(await next(caller)).toEqual({ kind: 'exit', reason: 'removed_from_project' });
    expect(await outcomesOf(taskId)).toEqual(['taken_away']);
    expect((await board.get(world.owner, taskId)).assigneeId).toBeUndefined();
  });

  it('archived, the project keeps them', async () => {
    const membership = await agent();
    const { caller, taskId, runId } = await working(membership);
    await world.projects.update(world.owner, membership.projectId, { status: 'archived' });
    expect(await next(caller)).toEqual({ kind: 'exit', reason: 'project_archived' });
    await exit(runId, 0);
    expect(await outcomesOf(taskId)).toEqual(['stopped']);
    expect(await board.get(world.owner, taskId)).toMatchObject({ assigneeId: membership.agentId });
  });
});

describe('workers among each other', () => {
  it('a conversation from a task names it, and its messages do', async () => {
    const membership = await agent();
    const partner = await world.colleague(membership);
    const { caller, taskId } = await working(membership);
    const { conversation } = await world.talks.start(caller, {
      targetAgentId: partner.agentId,
      initialMessage: 'How is it done?',
    });
    const list = (id: string) =>
      world.conversations.list(world.owner, membership.projectId, { taskId: id, limit: 10 });
    expect((await list(taskId)).conversations).toMatchObject([{ id: conversation.id, taskId }]);
    expect((await list('tsk_other')).conversations).toEqual([]);
    const { messages } = await world.conversations.messages(world.owner, conversation.id, { limit: 10 });
    expect(messages).toMatchObject([{ relatedTaskId: taskId }]);
  });

  it('the work that agents begin for each other is bounded by the chain', async () => {
    await world.database.db.updateTable('appSettings').set({ chainMaxMessages: 3 }).execute();
    world.clock.advance(60_000);
    const membership = await agent();
    const partner = await world.colleague(membership);
    await world.agents.update(world.owner, partner.agentId, { maxParallelTasks: 3 });
    const tasks = new AgentTasks(world.deps);
    const pair = [partner, membership];
    let { caller } = await working(membership);
    const begin = (to: WorldAgent) =>
      tasks.create(caller, { title: 'You', status: 'in_progress', assigneeId: to.agentId });
    for (let round = 0; round < 3; round += 1) {
      const to = pair[round % 2];
      if (!to) throw new Error('nobody');
      await begin(to);
      ({ caller } = await world.signIn(to));
    }
    await expect(begin(membership)).rejects.toMatchObject({ code: 'chain_limit' });
    await tasks.create(caller, { title: 'Later', status: 'todo', assigneeId: membership.agentId });
    await world.database.db.updateTable('appSettings').set({ chainMaxMessages: null }).execute();
  });

  it('so is what begins by itself after what an agent has put in todo', async () => {
    await world.database.db.updateTable('appSettings').set({ chainMaxMessages: 3 }).execute();
    world.clock.advance(60_000);
    const membership = await agent();
    const { agentId: assigneeId } = membership;
    const tasks = new AgentTasks(world.deps);
    let { caller, taskId, runId } = await working(membership);
    const follow = () =>
      tasks.create(caller, { title: 'Again', status: 'todo', assigneeId, dependsOn: [taskId] });
    for (let round = 0; round < 3; round += 1) {
      const { id } = await follow();
      await work.report(caller, { result: 'done', summary: 'Next.' });
      await world.sessions.logout(caller);
      await exit(runId, 0);
      ({ caller, runId } = await world.signIn(membership));
      taskId = id;
    }
    await expect(follow()).rejects.toMatchObject({ code: 'chain_limit' });
    const later = await tasks.create(caller, { title: 'Later', assigneeId, dependsOn: [taskId] });
    await expect(tasks.move(caller, { taskId: later.id, status: 'todo' })).rejects.toMatchObject({
      code: 'chain_limit',
    });
    await world.database.db.updateTable('appSettings').set({ chainMaxMessages: null }).execute();
  });
});

it('a key of work without its task is nobody’s', async () => {
  const membership = await agent();
  const key: WorkKey = { ...membership, purpose: 'task', taskId: 'tsk_none' };
  await expect(
    work.get({ ...key, sessionId: 'ses_none', live: true, sharesFolder: false, usesMemory: false }),
  ).rejects.toMatchObject({ code: 'task_not_found' });
});
