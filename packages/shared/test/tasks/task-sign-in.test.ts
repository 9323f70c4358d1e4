import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WorkKey } from '../../src/core/rules/work-key.ts';
import type { AuthenticateInput } from '../../src/core/sessions/session-service.ts';
import { TaskRecordService } from '../../src/core/tasks/task-record-service.ts';
import { TaskService } from '../../src/core/tasks/task-service.ts';
import { ServiceWorld, type WorldAgent } from '../../src/testing/service-world.ts';
import {
  expectInvariants,
  givenIds,
  nextAction,
  rawClient,
  runOf,
  sessionOf,
  takeStart,
  untilBlocked,
} from '../chat/chat-support.ts';
import { refusal } from '../conversations/conversation-support.ts';
import { ask, cardOf } from '../questions/question-support.ts';
import {
  reportTask,
  taskInProgress,
  waitingFor,
  wakeFor,
  workingOnTask,
  workOn,
} from './task-work-support.ts';

/* Whose session a sign-in opens, replaces and takes over from, where an agent has a chat and tasks. */

const PASSKEY = 'passkey-of-the-agent';
/** Longer than what comes between takes on a busy machine. */
const ROW_WAITS_MS = 10_000;
let world: ServiceWorld;
beforeAll(async () => {
  world = await ServiceWorld.create();
});
afterAll(async () => {
  await expectInvariants(world);
  await world.close();
});

async function agent() {
  const membership = await world.agentInProject({ maxParallelTasks: 3 });
  await world.agents.setPasskey(world.owner, membership.agentId, { passkey: PASSKEY });
  return membership;
}
const byPasskey = (membership: WorldAgent, more: Partial<AuthenticateInput> = {}) =>
  world.sessions.authenticate({ ...membership, passkey: PASSKEY, address: '127.0.0.1', ...more });
const byTicket = (bearer: string | null) =>
  world.sessions.authenticate({ bearer: bearer ?? '', address: '127.0.0.1' });
const stateOf = async (sessionId: string) => (await sessionOf(world, sessionId)).state;
const next = ({ sessionId }: { sessionId: string }) => nextAction(world, sessionId);

describe('by passkey', () => {
  it('is a chat where nothing waits, whatever was asked for', async () => {
    expect(await byPasskey(await agent(), { purpose: 'task' })).toMatchObject({
      success: true,
      purpose: 'chat',
    });
  });

  it('takes the waiting task, beside a live chat where it is named, and the run of it is superseded', async () => {
    const membership = await agent();
    const chat = await world.warmAgent(membership);
    const key = await taskInProgress(world, membership);
    await wakeFor(world, key);
    const start = await takeStart(world, membership);
    expect(await byPasskey(membership), 'who names no purpose means the chat').toMatchObject({
      code: 'session_exists',
    });
    const task = await byPasskey(membership, { purpose: 'task' });
    if (!task.success) throw new Error(task.error);
    expect(task.purpose).toBe('task');
    expect(await world.sessions.resolve(task.sessionToken ?? '')).toMatchObject(key);
    expect(await waitingFor(world, membership)).toEqual([]);
    expect(await runOf(world, start.runId)).toMatchObject({ stopReason: 'superseded' });
    expect(await byTicket(start.ticket), 'a late one').toMatchObject({ success: false });
    expect(await stateOf(chat.caller.sessionId)).toBe('active');
    await world.coordination.reportProcessExit({ runId: start.runId, exitCode: 0 });
    expect(await stateOf(task.sessionId)).toBe('active');
  });

  it('replaces the session of the same work, and no other', async () => {
    const membership = await agent();
    const chat = await world.warmAgent(membership);
    const one = await workingOnTask(world, membership);
    const task = await byPasskey(membership, { purpose: 'task' });
    expect(task).toMatchObject({ code: 'session_exists' });
    const other = await byPasskey(membership, { purpose: 'task', replace: true });
    if (!other.success) throw new Error(other.error);
    expect(await next(one.caller)).toEqual({ kind: 'exit', reason: 'replaced' });
    expect(await runOf(world, one.runId)).toMatchObject({ stopReason: 'replaced' });
    expect(await stateOf(chat.caller.sessionId)).toBe('active');

    const newChat = await byPasskey(membership, { replace: true });
    expect(newChat).toMatchObject({ success: true, purpose: 'chat' });
    expect(await next(chat.caller)).toEqual({ kind: 'exit', reason: 'replaced' });
    expect(await stateOf(other.sessionId)).toBe('active');
  });

  it.each(['task', undefined] as const)(
    'as %s, it takes no task of a paused project, blocked, or of another agent',
    async (purpose) => {
      const { database, projects, owner } = world;
      const set = ({ taskId }: WorkKey, values: { status?: string; assigneeId?: null }) =>
        database.db.updateTable('tasks').set(values).where('id', '=', taskId).execute();
      const changes: ((task: WorkKey) => Promise<unknown>)[] = [
        ({ projectId }) => projects.update(owner, projectId, { status: 'paused' }),
        (task) => set(task, { status: 'blocked' }),
        (task) => set(task, { assigneeId: null }),
      ];
      for (const change of changes) {
        const membership = await agent();
        const task = await taskInProgress(world, membership);
        await wakeFor(world, task);
        await change(task);
        expect(await byPasskey(membership, { purpose })).toMatchObject({ success: true, purpose: 'chat' });
        expect(await waitingFor(world, membership)).toEqual([task.taskId]);
      }
    },
  );

  it.each(['task', undefined] as const)(
    'as %s, it replaces no session whose task was taken away, and no attempt of whoever has it now',
    async (purpose) => {
      const membership = await agent();
      const other = await world.colleague(membership);
      const board = new TaskService(world.deps);
      const { key, caller } = await workingOnTask(world, membership);
      const { version } = await board.get(world.owner, key.taskId);
      await board.update(world.owner, key.taskId, { version, assigneeId: other.agentId });
      const theirs = await world.signIn(other);
      expect(await byPasskey(membership, { purpose, replace: true })).toMatchObject({ purpose: 'chat' });
      expect(await next(caller)).toEqual({ kind: 'exit', reason: 'task_reassigned' });
      await reportTask(world, theirs);
      const { attempts } = await new TaskRecordService(world.deps).attempts(world.owner, key.taskId);
      expect(attempts.map(({ agentId, outcome }) => [agentId, outcome])).toEqual([
        [membership.agentId, 'taken_away'],
        [other.agentId, 'done'],
      ]);
    },
  );

  it('begins nothing in a paused project by replacing a session that was told to leave', async () => {
    const membership = await agent();
    const { caller } = await workingOnTask(world, membership);
    await world.projects.update(world.owner, membership.projectId, { status: 'paused' });
    expect(await byPasskey(membership, { purpose: 'task', replace: true })).toMatchObject({
      purpose: 'chat',
    });
    expect(await next(caller)).toEqual({ kind: 'exit', reason: 'project_paused' });
  });

  it('takes no task whose earlier process still lives', async () => {
    const membership = await agent();
    const task = await workingOnTask(world, membership);
    await world.sessions.logout(task.caller);
    await wakeFor(world, task.key);
    expect(await byPasskey(membership, { purpose: 'task' })).toMatchObject({ purpose: 'chat' });
    expect(await waitingFor(world, membership)).toEqual([task.key.taskId]);
    await world.coordination.reportProcessExit({ runId: task.runId, exitCode: 0 });
    expect(await byPasskey(membership, { purpose: 'task' })).toMatchObject({ purpose: 'task' });
  });

  it('takes no task above the limit of the agent, and counts for it', async () => {
    const [membership, other] = await agentOfTwoProjects();
    for (const one of [membership, other]) await wakeFor(world, await taskInProgress(world, one));
    expect(await byPasskey(membership, { purpose: 'task' })).toMatchObject({ purpose: 'task' });
    expect(await world.coordination.getAgentAction({ ...other, coordinatorId: 'host-a' })).toEqual({
      action: 'hold',
      reason: 'capacity',
    });
    expect(await byPasskey(other, { purpose: 'task' })).toMatchObject({ purpose: 'chat' });
  });

  it('refused, it marks the run of the purpose that it named', async () => {
    const membership = await agent();
    await wakeFor(world, await taskInProgress(world, membership));
    await world.chat.start(world.owner, membership);
    const chat = await takeStart(world, membership);
    const task = await takeStart(world, membership);
    await byPasskey(membership, { passkey: 'a wrong one', purpose: 'task' });
    expect(await runOf(world, task.runId)).toMatchObject({ signInRefusedAt: expect.any(Date) });
    expect(await runOf(world, chat.runId)).toMatchObject({ signInRefusedAt: null });
  });
});

/** It may work on one task. */
async function agentOfTwoProjects() {
  const membership = await world.agentInProject();
  const { agentId } = membership;
  await world.agents.setPasskey(world.owner, agentId, { passkey: PASSKEY });
  const { id: projectId } = await world.projects.create(world.owner, { name: 'Other' });
  await world.projects.putAgent(world.owner, { projectId, agentId });
  return [membership, { projectId, agentId }] as const;
}

describe('two at once', () => {
  it('by passkey and by a Coordinator, for tasks in two projects: one begins', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [membership, other] = await agentOfTwoProjects();
      for (const one of [membership, other]) await wakeFor(world, await taskInProgress(world, one));
      // Both have begun before either of them decides.
      const gate = await rawClient(world);
      await gate.query('begin');
      await gate.query('select from project_agents where agent_id = $1 for update', [membership.agentId]);
      const asks = Promise.all([
        byPasskey(membership, { purpose: 'task' }),
        world.coordination.getAgentAction({ ...other, coordinatorId: 'host-a' }),
      ]);
      await untilBlocked(world, 2);
      await gate.query('commit');
      await gate.end();
      const [signIn, start] = await asks;
      const begun = [signIn.success && signIn.purpose === 'task', start.action === 'start'];
      expect(begun.toSorted()).toEqual([false, true]);
    }
  });

  it('by ticket and by passkey: one of them has the task', async () => {
    const membership = await agent();
    await wakeFor(world, await taskInProgress(world, membership));
    const { ticket } = await takeStart(world, membership);
    await Promise.all([byTicket(ticket), byPasskey(membership, { purpose: 'task' })]);
    const { task } =
      (await world.presence.agentSessions(world.owner, membership.projectId))[membership.agentId] ?? {};
    expect(task).toBe(1);
  });

  it('by the tickets of the chat and of two tasks: each opens its own session', async () => {
    const membership = await agent();
    const keys = [await taskInProgress(world, membership), await taskInProgress(world, membership)];
    for (const key of keys) await wakeFor(world, key);
    await world.chat.start(world.owner, membership);
    const starts = [
      await takeStart(world, membership),
      await takeStart(world, membership),
      await takeStart(world, membership),
    ];
    const results = await Promise.all(starts.map(({ ticket }) => byTicket(ticket)));
    expect(results.map((result) => result.success && result.purpose)).toEqual(['chat', 'task', 'task']);
    const callers = await Promise.all(starts.map(({ ticket }) => world.sessions.resolve(ticket ?? '')));
    expect(callers.map(({ taskId }) => taskId).toSorted()).toEqual(
      ['', ...keys.map(({ taskId }) => taskId)].toSorted(),
    );
  });
});

describe('what a task asks a person', () => {
  it('is answered to the task that asked, also after a crash; the chat neither hears nor stops it', async () => {
    const membership = await agent();
    const chat = await world.warmAgent(membership);
    const task = await workingOnTask(world, membership);
    const questions = ask('Which one?');
    const card = await world.questions.ask(task.caller, { questions });
    expect(card.status).toBe('pending');
    expect(await world.questions.ask(chat.caller, { questions })).not.toMatchObject(card);
    await world.chat.interrupt(world.owner, membership);
    expect(await cardOf(world, card.toolUseId)).toMatchObject({ state: 'pending' });

    await world.coordination.reportProcessExit({ runId: task.runId, exitCode: 9 });
    const byChat = world.questions.ask(chat.caller, { questions, toolUseId: card.toolUseId });
    expect(await refusal(byChat), 'asked again by the chat').toBe('question_not_found');
    await world.questions.answer(world.owner, card.toolUseId, { 0: '0' });
    expect(await next(chat.caller)).not.toMatchObject({ toolUseId: card.toolUseId });
    expect(await waitingFor(world, membership)).toEqual([task.key.taskId]);
    const other = await workingOnTaskBeside(membership);
    expect(await next(other.caller), 'another task').toMatchObject({ kind: 'work_on_task' });
    world.clock.advance(1_000);
    const { ticket } = await takeStart(world, membership);
    const again = await byTicket(ticket);
    if (!again.success) throw new Error(again.error);
    // Told before it asks again, nobody would know what it is about.
    expect(await nextAction(world, again.sessionId)).toMatchObject({ kind: 'work_on_task' });
    const caller = await world.sessions.resolve(ticket ?? '');
    const outcome = await world.questions.ask(caller, { questions });
    expect(outcome).toMatchObject({ toolUseId: card.toolUseId, status: 'answered' });
  });

  /** Signed in by passkey, for the row that waits longer is another's. */
  async function workingOnTaskBeside(membership: WorldAgent) {
    const key = await taskInProgress(world, membership);
    await world.database.db
      .updateTable('pendingAgentPurposes')
      .set({ notBefore: new Date(world.clock.now().getTime() + ROW_WAITS_MS) })
      .where('agentId', '=', membership.agentId)
      .execute();
    const working = { key, ...(await workOn(world, key)) };
    world.clock.advance(ROW_WAITS_MS);
    return working;
  }
});

describe('what a task says to another agent', () => {
  it('is nothing to whoever waits for the chat of its agent', async () => {
    const membership = await agent();
    const partner = await world.colleague(membership);
    const other = await world.warmAgent(partner);
    const { conversation } = await world.talks.start(other.caller, { targetAgentId: membership.agentId });
    const key = await taskInProgress(world, membership);
    await wakeFor(world, key);
    const task = await byPasskey(membership, { purpose: 'task' });
    if (!task.success) throw new Error(task.error);
    expect(await nextAction(world, task.sessionId)).toMatchObject({ kind: 'work_on_task' });
    expect((await world.conversations.get(world.owner, conversation.id)).state).toBe('pending');
    expect(await waitingFor(world, membership)).toEqual(['chat']);
    await world.signIn(membership);
    expect((await world.conversations.get(world.owner, conversation.id)).state).toBe('active');
  });

  it('is answered to the task; what it leaves behind is the chat’s', async () => {
    const membership = await agent();
    const chat = await world.warmAgent(membership);
    const task = await workingOnTask(world, membership);
    const partner = await world.colleague(membership);
    const { conversation } = await world.talks.start(task.caller, {
      targetAgentId: partner.agentId,
      initialMessage: 'What do you think?',
    });
    const other = await world.signIn(partner);
    await nextAction(world, other.caller.sessionId);
    const batch = await world.delivery.take(other.caller);
    await world.delivery.respond(other.caller, { content: 'Go on.', batchId: batch.batchId ?? undefined });
    expect(await next(chat.caller)).toEqual({ kind: 'wait' });
    expect(await next(task.caller)).toMatchObject({ kind: 'get_pending_messages' });
    expect(await givenIds(world, task.caller)).toHaveLength(1);

    await world.coordination.reportProcessExit({ runId: task.runId, exitCode: 9 });
    expect(await next(chat.caller)).toMatchObject({
      kind: 'conversation',
      notice: { kind: 'request', conversationId: conversation.id },
    });
    expect(await next(chat.caller)).toMatchObject({ kind: 'conversation' });
  });

  it('ends with it when a person stops it, and the chat goes on with its own', async () => {
    const membership = await agent();
    const chat = await world.warmAgent(membership);
    const task = await workingOnTask(world, membership);
    const [one, other] = [await world.colleague(membership), await world.colleague(membership)];
    const open = async (caller: typeof chat.caller, targetAgentId: string) =>
      (await world.talks.start(caller, { targetAgentId })).conversation.id;
    const ofTask = await open(task.caller, one.agentId);
    const ofChat = await open(chat.caller, other.agentId);
    await world.runs.stop(world.owner, task.runId);
    const stateOfTalk = async (id: string) => (await world.conversations.get(world.owner, id)).state;
    expect(await stateOfTalk(ofTask)).toBe('ended');
    expect(await stateOfTalk(ofChat)).toBe('pending');
  });
});
