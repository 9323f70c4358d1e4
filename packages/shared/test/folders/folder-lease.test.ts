import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AgentCaller } from '../../src/core/access/agent-caller.ts';
import { dueConversations } from '../../src/core/conversations/sweep-due-conversations.ts';
import { Sweeper } from '../../src/core/sweeper/sweeper.ts';
import { heldWakeUpsStep } from '../../src/core/wake-ups/sweep-expired-wake-ups.ts';
import { ServiceWorld, type WorldAgent } from '../../src/testing/service-world.ts';
import {
  expectInvariants,
  givenIds,
  messageOf,
  nextAction,
  rawClient,
  rowOf,
  runOf,
  statusOf,
  untilBlocked,
  untilLater,
} from '../chat/chat-support.ts';
import { TalkWorld } from '../conversations/conversation-support.ts';
import { ask } from '../questions/question-support.ts';
import { workingOnTask } from '../tasks/task-work-support.ts';

let world: ServiceWorld;
beforeAll(async () => {
  world = await ServiceWorld.create();
});
beforeEach(() => world.coordinator());
afterAll(async () => {
  await expectInvariants(world);
  await world.close();
});

interface Writer extends WorldAgent {
  readonly caller: AgentCaller;
  readonly runId: string;
}

const FETCH = { kind: 'get_pending_messages', again: false };

/** Warm agents that write files, in one project. */
async function writers(count: number): Promise<Writer[]> {
  const first = await world.agentInProject();
  const rest = await Promise.all(Array.from({ length: count - 1 }, () => world.colleague(first)));
  const warm: Writer[] = [];
  for (const membership of [first, ...rest]) {
    await world.agents.update(world.owner, membership.agentId, { provider: 'claude' });
    warm.push({ ...membership, ...(await world.warmAgent(membership)) });
  }
  return warm;
}

async function pair(): Promise<[Writer, Writer]> {
  const [a, b] = await writers(2);
  if (!a || !b) throw new Error('no writers');
  return [a, b];
}

/** Two warm agents, and one that is started only when there is work. */
async function withPerWork(): Promise<{ a: Writer; b: Writer; program: WorldAgent }> {
  const [a, b] = await pair();
  const program = await world.colleague(a);
  await world.agents.update(world.owner, program.agentId, {
    provider: 'command',
    command: { file: 'agent', args: [], mode: 'per_work' },
  });
  return { a, b, program };
}

const post = async (to: WorldAgent, content = 'edit it') =>
  (await world.chat.post(world.owner, { projectId: to.projectId, agentId: to.agentId, content })).message;
async function postBeforeOthers(to: WorldAgent): Promise<void> {
  await post(to);
  await untilLater(world);
}
const next = ({ caller }: Writer) => nextAction(world, caller.sessionId);
const take = ({ caller }: Writer) => givenIds(world, caller);
const answer = ({ caller }: Writer) => world.delivery.respond(caller, { content: 'Done.' });
const behind = ({ projectId }: WorldAgent) => ({ kind: 'wait', folderOf: projectId });
const exit = (runId: string) => world.coordination.reportProcessExit({ runId, exitCode: 0 });
const askFor = (membership: WorldAgent) =>
  world.coordination.getAgentAction({ ...membership, coordinatorId: 'host-a' });

/** How often people were told that something about this session has changed. */
async function timesTold({ projectId, agentId }: WorldAgent): Promise<number> {
  const { rows } = await world.database.pool.query(
    `select count(*)::int as n from change_log
     where kind = 'session' and project_id = $1 and ref ->> 'agentId' = $2`,
    [projectId, agentId],
  );
  return rows[0].n;
}

describe('one agent at a time works in the folder of a project', () => {
  it('the message of the other one waits, people see for whom, and it is given when the first has answered', async () => {
    const [a, b] = await pair();
    const first = await post(a);
    expect(await take(a)).toEqual([first.id]);
    const { id } = await post(b);
    const told = await timesTold(b);
    expect(await next(b)).toEqual(behind(b));
    expect(await take(b)).toEqual([]);
    expect(await world.delivery.take(b.caller)).toMatchObject({ batchId: null, waitsFor: a.agentId });
    expect((await messageOf(world, id)).state).toBe('stored');
    const status = await statusOf(world, b);
    expect(status).toMatchObject({
      chatStatus: 'ready',
      reason: 'folder_in_use',
      waitsForAgentId: a.agentId,
    });
    expect(status.idleAt).toBeUndefined();
    expect(await timesTold(b)).toBe(told + 1);
    expect(await statusOf(world, a)).toMatchObject({ chatStatus: 'busy' });

    await answer(a);
    expect(await next(b)).toEqual(FETCH);
    expect((await statusOf(world, b)).reason).toBeUndefined();
    expect(await timesTold(b)).toBe(told + 2);
    expect(await take(b)).toEqual([id]);
    expect(await next(a)).toEqual({ kind: 'wait' });
    await answer(b);
  });

  it('of two at the same time exactly one is given its message', async () => {
    const [a, b] = await pair();
    await postBeforeOthers(a);
    await post(b);
    const blocker = await rawClient(world);
    await blocker.query('begin');
    await blocker.query('select from projects where id = $1 for update', [a.projectId]);
    const takes = Promise.all([take(b), take(a)]);
    await untilBlocked(world, 2);
    await blocker.query('commit');
    await blocker.end();
    expect((await takes).map((given) => given.length)).toEqual([0, 1]);
    await answer(a);
    expect(await take(b)).toHaveLength(1);
    await answer(b);
  });

  it('what comes for the one that works is given to it, and what it holds is given again', async () => {
    const [a, b] = await pair();
    const { id } = await post(a);
    await take(a);
    await post(b);
    const { id: later } = await post(a, 'and this');
    expect(await next(a)).toEqual(FETCH);
    expect(await take(a)).toEqual([id, later]);
    expect(await take(b)).toEqual([]);
    await answer(a);
    await take(b);
    await answer(b);
  });

  it('an agent that ends a conversation and then answers is at rest at once', async () => {
    const [a, b, c] = await writers(3);
    if (!a || !b || !c) throw new Error('no writers');
    const talks = TalkWorld.on(world);
    await post(a);
    await take(a);
    await world.talks.start(a.caller, { targetAgentId: b.agentId, initialMessage: 'Your part?' });
    expect(await talks.hear(b)).toMatchObject({ action: 'request' });
    await talks.read(b);
    await talks.say(b, a, 'Done.');
    await talks.read(a);
    await world.sessions.beat(a.caller, { phase: 'tool', holdSeconds: 10 });
    await world.talks.end(a.caller, {});
    await post(c);
    expect(await next(c)).toEqual(behind(c));
    await world.delivery.respond(a.caller, { content: 'Done.', targetAgentId: 'user' });
    expect(await next(c)).toEqual(FETCH);
    await take(c);
    await answer(c);
  });

  it('a turn whose conversation ends goes on: until its next answer, or until its beats are over', async () => {
    const [a, b, c] = await writers(3);
    if (!a || !b || !c) throw new Error('no writers');
    const talks = TalkWorld.on(world);
    await post(a);
    await take(a);
    await world.talks.start(a.caller, { targetAgentId: b.agentId, initialMessage: 'Your part?' });
    expect(await talks.hear(b)).toMatchObject({ action: 'request' });
    await talks.read(b);
    await talks.say(b, a, 'Wait.');
    await talks.read(a);
    await talks.say(a, b, 'I wait.');
    await talks.read(b);
    for (const { caller } of [a, b]) await world.sessions.beat(caller, { phase: 'tool', holdSeconds: 10 });
    await world.talks.end(a.caller, {});
    await post(c);
    expect(await next(c)).toEqual(behind(c));
    await world.delivery.respond(a.caller, { content: 'Done.', targetAgentId: 'user' });
    // b writes still.
    expect(await take(c)).toEqual([]);
    expect((await statusOf(world, c)).waitsForAgentId).toBe(b.agentId);
    world.clock.advance(11_001);
    expect(await next(c)).toEqual(FETCH);
    await take(c);
    await answer(c);
  });

  it('agents that touch no file neither wait nor are waited for; nor do agents of another project', async () => {
    const [a, b] = await pair();
    const builtin = await world.colleague(a);
    const talker: Writer = { ...builtin, ...(await world.warmAgent(builtin)) };
    const [elsewhere] = await writers(1);
    if (!elsewhere) throw new Error('no writer');
    for (const one of [a, talker, elsewhere]) {
      await post(one);
      expect(await take(one)).toHaveLength(1);
    }
    await answer(a);
    await post(b);
    expect(await take(b)).toHaveLength(1);
    for (const one of [b, talker, elsewhere]) await answer(one);
  });

  it('agents with worktrees do not wait', async () => {
    const first = await world.agentInProject();
    await world.projects.update(world.owner, first.projectId, { isolation: 'worktree' });
    for (const membership of [first, await world.colleague(first)]) {
      await world.agents.update(world.owner, membership.agentId, { provider: 'claude' });
      const one = { ...membership, ...(await world.warmAgent(membership)) };
      await post(one);
      expect(await take(one)).toHaveLength(1);
    }
  });

  it('a program that signed in with a passkey neither waits nor is waited for: where it works is not known', async () => {
    const [a, b] = await pair();
    const program = await world.colleague(a);
    await world.agents.update(world.owner, program.agentId, { provider: 'claude' });
    const { passkey } = await world.agents.setPasskey(world.owner, program.agentId, {});
    const signedIn = await world.sessions.authenticate({ ...program, passkey, address: 'x' });
    if (!signedIn.success || !signedIn.sessionToken) throw new Error('not signed in');
    const caller = await world.sessions.resolve(signedIn.sessionToken);
    const byHand: Writer = { ...program, caller, runId: '' };
    for (const one of [a, byHand]) {
      await post(one);
      expect(await take(one)).toHaveLength(1);
    }
    await answer(a);
    await post(b);
    expect(await take(b)).toHaveLength(1);
    for (const one of [b, byHand]) await answer(one);
  });
});

describe('the line', () => {
  it('goes by the oldest waiting message, whoever asks first', async () => {
    const [a, b, c, d] = await writers(4);
    if (!a || !b || !c || !d) throw new Error('no writers');
    await post(a);
    await take(a);
    for (const one of [c, b, d]) await postBeforeOthers(one);
    await answer(a);
    for (const first of [c, b, d]) {
      for (const other of [b, c, d]) if (other !== first) expect(await take(other)).toEqual([]);
      expect(await next(first)).toEqual(FETCH);
      expect(await take(first)).toHaveLength(1);
      await answer(first);
      // A new message of the same agent is behind those that wait.
      await post(first);
    }
    expect(await take(c)).toHaveLength(1);
    expect(await next(b)).toEqual(behind(b));
    expect((await statusOf(world, b)).waitsForAgentId).toBe(c.agentId);
    await answer(c);
    for (const one of [b, d]) {
      await take(one);
      await answer(one);
    }
  });

  it('passes who has not called for some time, and a message that was stopped', async () => {
    const [a, b] = await pair();
    await postBeforeOthers(a);
    await post(b);
    expect(await next(b)).toEqual(behind(b));
    world.clock.advance(41_000);
    await world.sessions.touch([b.caller.sessionId]);
    expect(await next(b)).toEqual(FETCH);
    await world.sessions.touch([a.caller.sessionId]);
    expect(await next(b)).toEqual(behind(b));
    await world.chat.end(world.owner, { ...a, force: true });
    expect(await next(b)).toEqual(FETCH);
    await take(b);
    await answer(b);
  });
});

describe('the folder is free again', () => {
  const ends: [string, (a: Writer) => Promise<unknown>][] = [
    ['its process is killed', ({ runId }) => world.coordination.reportProcessExit({ runId, exitCode: 137 })],
    ['it logs out', ({ caller }) => world.sessions.logout(caller)],
    ['it is stopped by a person', (a) => world.chat.end(world.owner, { ...a, force: true })],
    ['it leaves the project', (a) => world.projects.removeAgent(world.owner, a)],
    ['it is deleted', ({ agentId }) => world.agents.remove(world.owner, agentId)],
  ];
  it.each(ends)('when %s', async (_, end) => {
    const [a, b] = await pair();
    await post(a);
    await take(a);
    const { id } = await post(b);
    expect(await next(b)).toEqual(behind(b));
    await end(a);
    expect(await next(b)).toEqual(FETCH);
    expect(await take(b)).toEqual([id]);
    await answer(b);
  });

  it('not before a process that was stopped in its turn has left', async () => {
    const [a, b] = await pair();
    await post(a);
    await take(a);
    await world.sessions.beat(a.caller, { phase: 'thinking', holdSeconds: 10 });
    await post(b);
    await world.chat.end(world.owner, { ...a, force: true });
    expect(await next(b)).toEqual(behind(b));
    await world.sessions.logout(a.caller);
    expect(await next(b)).toEqual(FETCH);
    await take(b);
    await answer(b);
  });

  it('whose process died has the folder no more, whatever a person has answered since', async () => {
    const [a, b] = await pair();
    await post(a);
    await take(a);
    const { toolUseId } = await world.questions.ask(a.caller, { questions: ask('Which?') });
    await exit(a.runId);
    const { id } = await post(b);
    expect(await take(b)).toEqual([id]);
    await world.questions.answer(world.owner, toolUseId, { '0': '0' });
    world.clock.advance(2_000);
    await world.coordinator('host-a', [b.runId]);
    const successor = { ...a, ...(await world.signIn(a)) };
    // The answer, too, waits for its turn.
    expect(await next(successor)).toEqual(behind(a));
    const more = await post(b, 'And this.');
    expect(await next(b)).toEqual(FETCH);
    expect(await take(b)).toContain(more.id);
    await answer(b);
    expect(await next(successor)).toEqual(FETCH);
    await take(successor);
    expect(await world.questions.ask(successor.caller, { questions: ask('Which?') })).toMatchObject({
      toolUseId,
      status: 'answered',
    });
    await answer(successor);
  });

  it('not while a person is asked: its edits are half done', async () => {
    const [a, b] = await pair();
    await post(a);
    await take(a);
    const { toolUseId } = await world.questions.ask(a.caller, {
      questions: [
        {
          question: 'Which?',
          header: 'Choice',
          multiSelect: false,
          options: [
            { label: 'A', description: 'a' },
            { label: 'B', description: 'b' },
          ],
        },
      ],
    });
    await answer(a);
    await post(b);
    expect(await next(b)).toEqual(behind(b));
    await world.questions.answer(world.owner, toolUseId, { '0': '0' });
    expect(await next(b)).toEqual(behind(b));
    await world.receipts.written(a.caller, { kind: 'question', toolUseId });
    expect(await next(b)).toEqual(FETCH);
    await take(b);
    await answer(b);
  });
});

describe('who waits is not given up', () => {
  it('neither idle nor evicted: its message is given when the folder is free, much later', async () => {
    const [a, b] = await pair();
    await post(a);
    await take(a);
    const { id } = await post(b);
    for (let minutes = 0; minutes < 25; minutes += 5) {
      world.clock.advance(300_000);
      await world.coordinator('host-a', [a.runId, b.runId]);
      for (const { caller } of [a, b]) await world.sessions.beat(caller, { phase: 'x', holdSeconds: 10 });
      await world.sweeper.runOnce();
      expect(await next(b)).toEqual(behind(b));
    }
    await answer(a);
    expect(await take(b)).toEqual([id]);
    await answer(b);
  });

  it('its end by a person fails its message as any other; nobody is waited for any more', async () => {
    const [a, b] = await pair();
    await post(a);
    await take(a);
    const { id } = await post(b);
    expect(await next(b)).toEqual(behind(b));
    await world.chat.end(world.owner, { ...b, force: true });
    expect(await messageOf(world, id)).toMatchObject({
      state: 'failed',
      failure: { code: 'stopped_by_person' },
    });
    expect((await statusOf(world, b)).waitsForAgentId).toBeUndefined();
    await answer(a);
  });
});

describe('agents that talk while one of them works', () => {
  const talks = () => TalkWorld.on(world);

  it('the one that is asked is given that, and nothing else, so that both go on', async () => {
    const [a, b] = await pair();
    await post(a);
    await take(a);
    const { id } = await post(b);
    expect(await next(b)).toEqual(behind(b));
    await world.talks.start(a.caller, { targetAgentId: b.agentId, initialMessage: 'How far are you?' });
    expect(await talks().hear(b)).toMatchObject({ action: 'request' });
    expect(await next(b)).toEqual(FETCH);
    expect(await talks().read(b)).toMatchObject({ words: ['How far are you?'] });
    await talks().say(b, a, 'Half way.');
    expect(await next(b)).toEqual(behind(b));
    expect(await next(a)).toEqual(FETCH);
    expect(await talks().read(a)).toMatchObject({ words: ['Half way.'] });
    expect(await take(b)).toEqual([]);
    await world.talks.end(a.caller, {});
    await world.delivery.respond(a.caller, { content: 'Done.', targetAgentId: 'user' });
    expect(await talks().hear(b)).toMatchObject({ action: 'ended' });
    expect(await take(b)).toEqual([id]);
    await answer(b);
  });

  it('their conversation does not time out while one of them waits for a third', async () => {
    const [a, b, c] = await writers(3);
    if (!a || !b || !c) throw new Error('no writers');
    const { conversation } = await world.talks.start(a.caller, { targetAgentId: b.agentId });
    expect(await talks().hear(b)).toMatchObject({ action: 'request' });
    await post(c);
    await take(c);
    await talks().say(a, b, 'Your part?');
    expect(await next(b)).toEqual(behind(b));
    world.clock.advance(601_000);
    await world.coordinator('host-a', [a.runId, b.runId, c.runId]);
    for (const { caller } of [a, b, c]) await world.sessions.beat(caller, { phase: 'x', holdSeconds: 10 });
    await world.sweeper.runOnce();
    expect(await next(b)).toEqual(behind(b));
    await answer(c);
    expect(await next(b)).toEqual(FETCH);
    expect(await talks().read(b)).toMatchObject({ words: ['Your part?'] });
    await world.sweeper.runOnce();
    expect((await talks().view(conversation.id)).state).toBe('active');
    for (const { caller } of [a, b, c]) await world.sessions.logout(caller);
  });

  it('three in a ring', async () => {
    const [a, b, c] = await writers(3);
    if (!a || !b || !c) throw new Error('no writers');
    await post(a);
    await take(a);
    const waiting = [await post(b), await post(c)];
    for (const [from, to] of [
      [a, b],
      [b, c],
      [c, a],
    ] as const) {
      await world.talks.start(from.caller, { targetAgentId: to.agentId, initialMessage: 'And you?' });
      expect(await talks().hear(to)).toMatchObject({ action: 'request' });
      expect(await talks().read(to)).toMatchObject({ words: ['And you?'] });
    }
    for (const [from, to] of [
      [a, c],
      [c, b],
      [b, a],
    ] as const) {
      await talks().say(from, to, 'Fine.');
      expect(await talks().read(to)).toMatchObject({ words: ['Fine.'] });
    }
    for (const one of [b, c]) {
      const given = await world.delivery.take(one.caller);
      for (const { state } of given.pendingMessages) expect(state).toBe('delivered');
    }
    for (const { id } of waiting) expect((await messageOf(world, id)).state).toBe('stored');
    for (const { caller } of [a, b, c]) await world.sessions.logout(caller);
  });
});

describe('an agent that is started only when there is work', () => {
  it('is started when the folder is free, and has it from then on', async () => {
    const { a, b, program } = await withPerWork();
    await post(a);
    await take(a);
    const { id } = await post(program);
    expect(await askFor(program)).toEqual({ action: 'hold', reason: 'folder_in_use' });
    expect(await statusOf(world, program)).toMatchObject({
      chatStatus: 'queued',
      reason: 'folder_in_use',
      waitsForAgentId: a.agentId,
    });
    const pairs = async () => {
      const { pairs: all } = await world.coordination.work('host-a');
      return all.filter(({ projectId }) => projectId === program.projectId);
    };
    expect(await pairs()).toEqual([]);
    // Its clock is stopped.
    world.clock.advance(600_000);
    await world.coordinator('host-a', [a.runId, b.runId]);
    for (const { caller } of [a, b]) await world.sessions.beat(caller, { phase: 'x', holdSeconds: 10 });
    await world.sweeper.runOnce();
    expect((await rowOf(world, program))?.heldFor).toBe('folder_in_use');
    await post(b);
    world.dirtyKeys.length = 0;
    await answer(a);
    expect(world.dirtyKeys).toContain('w');
    expect(await pairs()).toEqual([{ projectId: program.projectId, agentId: program.agentId }]);
    // It has waited longer.
    expect(await next(b)).toEqual(behind(b));

    const started = await world.signIn(program);
    expect(await next(b)).toEqual(behind(b));
    expect((await statusOf(world, b)).waitsForAgentId).toBe(program.agentId);
    expect(await givenIds(world, started.caller)).toEqual([id]);
    await world.delivery.respond(started.caller, { content: 'Done.' });
    expect(await next(b)).toEqual(FETCH);
    await world.coordination.reportProcessExit({ runId: started.runId, exitCode: 0 });
    await take(b);
    await answer(b);
  });

  it('leaves the folder when its process ends before it has fetched anything', async () => {
    const { b, program } = await withPerWork();
    await post(program);
    const { runId } = await world.signIn(program);
    await post(b);
    expect(await next(b)).toEqual(behind(b));
    await world.coordination.reportProcessExit({ runId, exitCode: 1 });
    expect(await next(b)).toEqual(FETCH);
    await take(b);
    await answer(b);
  });

  it('is started for the agent that works and has asked it', async () => {
    const { a, program } = await withPerWork();
    await post(a);
    await take(a);
    const { id } = await post(program);
    expect(await askFor(program)).toEqual({ action: 'hold', reason: 'folder_in_use' });
    await world.talks.start(a.caller, { targetAgentId: program.agentId, initialMessage: 'Your part?' });
    await world.sweeper.runOnce();
    const { caller } = await world.signIn(program);
    const given = await world.delivery.take(caller);
    expect(given.pendingMessages.map(({ content }) => content)).toEqual(['Your part?']);
    expect((await messageOf(world, id)).state).toBe('stored');
    await world.sessions.logout(caller);
    await world.sessions.logout(a.caller);
  });

  it('is not started for a conversation in which nothing is unread, and does not pass others by it', async () => {
    const { a, b, program } = await withPerWork();
    const { conversation } = await world.talks.start(a.caller, {
      targetAgentId: program.agentId,
      initialMessage: 'Ready?',
    });
    const first = await world.signIn(program);
    await take({ ...program, ...first });
    await world.delivery.respond(first.caller, { content: 'Yes.', conversationId: conversation.id });
    await exit(first.runId);
    expect(await take(a)).toHaveLength(1);
    await post(b);
    const { id } = await post(program);
    expect(await askFor(program)).toEqual({ action: 'hold', reason: 'folder_in_use' });
    await world.delivery.respond(a.caller, { conversationId: conversation.id });
    expect(await askFor(program)).toEqual({ action: 'hold', reason: 'folder_in_use' });
    expect(await take(b)).toHaveLength(1);
    await answer(b);
    const second = await world.signIn(program);
    expect(await take({ ...program, ...second })).toEqual([id]);
    await world.delivery.respond(second.caller, { content: 'Done.' });
    await exit(second.runId);
    await world.talks.end(a.caller, {});
  });

  it.each([true, false])('does not crash when it leaves what is withheld (logout: %s)', async (logsOut) => {
    const { a, program } = await withPerWork();
    await post(a);
    await take(a);
    const { id } = await post(program);
    await world.talks.start(a.caller, { targetAgentId: program.agentId });
    const asked = await world.signIn(program);
    const started: Writer = { ...program, ...asked };
    expect(await TalkWorld.on(world).hear(started)).toMatchObject({ action: 'request' });
    expect(await next(started)).toEqual(behind(program));
    // Its start was for the conversation: it keeps nothing from the agent that works.
    const { id: later } = await post(a, 'and this');
    expect(await take(a)).toContain(later);
    if (logsOut) await world.sessions.logout(asked.caller);
    await exit(asked.runId);
    expect((await runOf(world, asked.runId)).exitCause).toBe('finished');
    expect((await messageOf(world, id)).state).toBe('stored');
    expect(await rowOf(world, program)).toMatchObject({ notBefore: null });
    expect(await askFor(program)).toEqual({ action: 'hold', reason: 'folder_in_use' });
    await world.sessions.logout(a.caller);
    const { caller } = await world.signIn(program);
    expect(await givenIds(world, caller)).toEqual([id]);
    await world.sessions.logout(caller);
  });

  it('keeps nobody waiting when nothing waits for it', async () => {
    const { a, program } = await withPerWork();
    await world.talks.start(a.caller, { targetAgentId: program.agentId });
    const { caller } = await world.signIn(program);
    await post(a);
    expect(await take(a)).toHaveLength(1);
    await world.sessions.logout(caller);
    await world.sessions.logout(a.caller);
  });

  it('waits for a place when the folder is free and there is none, and keeps nobody from the folder', async () => {
    const { a, b, program } = await withPerWork();
    await post(a);
    await take(a);
    await post(program);
    expect(await askFor(program)).toMatchObject({ reason: 'folder_in_use' });
    await post(b);
    await world.coordinator('host-a', [a.runId, b.runId], 0);
    await answer({ ...a, caller: { ...a.caller, sharesFolder: false } });
    expect(await next(b)).toEqual(behind(b));
    await world.sweeper.runOnce();
    expect(await rowOf(world, program)).toMatchObject({ heldFor: 'capacity' });
    expect(await next(b)).toEqual(FETCH);
    await take(b);
    await answer(b);
    await world.coordinator('host-a', [a.runId, b.runId]);
    const { caller } = await world.signIn(program);
    expect(await givenIds(world, caller)).toHaveLength(1);
    await world.sessions.logout(caller);
  });

  it('is given out again when the conversation ends that kept it from the folder', async () => {
    const { a, b, program } = await withPerWork();
    await world.talks.start(a.caller, { targetAgentId: b.agentId, initialMessage: 'Your part?' });
    const talks = TalkWorld.on(world);
    expect(await talks.hear(b)).toMatchObject({ action: 'request' });
    await talks.read(b);
    await post(program);
    expect(await askFor(program)).toMatchObject({ reason: 'folder_in_use' });
    await world.talks.end(a.caller, {});
    expect(await rowOf(world, program)).toMatchObject({ heldFor: null });
    const { caller } = await world.signIn(program);
    expect(await givenIds(world, caller)).toHaveLength(1);
    await world.sessions.logout(caller);
    for (const one of [a, b]) await world.sessions.logout(one.caller);
  });

  /** A has asked the program, which has answered and ended. */
  async function talkedWithPerWork() {
    const { a, b, program } = await withPerWork();
    const talks = TalkWorld.on(world);
    const { conversation } = await world.talks.start(a.caller, {
      targetAgentId: program.agentId,
      initialMessage: 'Ready?',
    });
    const first = await world.signIn(program);
    await world.delivery.take(first.caller);
    await world.delivery.respond(first.caller, { content: 'Yes.', conversationId: conversation.id });
    await exit(first.runId);
    await talks.read(a);
    return { a, b, program, talks, conversation };
  }

  it.each(['told', 'found by the sweeper'])(
    'its conversation counts as silent from the end of the wait (%s)',
    async (how) => {
      const { a, b, program, talks, conversation } = await talkedWithPerWork();
      await post(b);
      await world.delivery.respond(a.caller, { content: 'Go on.', conversationId: conversation.id });
      expect(await take(b)).toHaveLength(1);
      expect(await askFor(program)).toMatchObject({ reason: 'folder_in_use' });
      world.clock.advance(601_000);
      await world.coordinator('host-a', [a.runId, b.runId]);
      await answer({ ...b, caller: { ...b.caller, sharesFolder: how === 'told' } });
      // Nothing else: by the clock of this test b is idle already.
      await new Sweeper(world.deps, { held: heldWakeUpsStep }).runOnce();
      await new Sweeper(world.deps, { conversations: dueConversations }).runOnce();
      expect((await rowOf(world, program))?.heldFor).toBeNull();
      expect((await talks.view(conversation.id)).state).toBe('active');
      const second = await world.signIn(program);
      expect(await talks.read(second)).toMatchObject({ words: ['Go on.'] });
      await world.sessions.logout(second.caller);
      await world.sessions.logout(a.caller);
    },
  );

  it('a task of its agent speaks in its conversation, however long the chat has waited', async () => {
    const { a, program, talks, conversation } = await talkedWithPerWork();
    const task = await workingOnTask(world, program);
    await world.receipts.written(task.caller, { kind: 'task', taskId: task.key.taskId });
    await world.delivery.respond(a.caller, { content: 'Go on.', conversationId: conversation.id });
    expect(await askFor(program)).toMatchObject({ reason: 'folder_in_use' });
    world.clock.advance(601_000);
    await world.delivery.send(task.caller, { targetAgentId: a.agentId, content: 'Soon.' });
    expect(await rowOf(world, program)).toBeUndefined();
    expect(await talks.read(a)).toMatchObject({ words: ['Soon.'] });
    expect(await talks.read(task)).toMatchObject({ words: ['Go on.'] });
    await world.sessions.logout(task.caller);
    await world.sessions.logout(a.caller);
  });

  it('is found by the sweeper when nobody told that the folder is free', async () => {
    const { a, program } = await withPerWork();
    await post(a);
    await take(a);
    await post(program);
    expect(await askFor(program)).toMatchObject({ reason: 'folder_in_use' });
    await answer({ ...a, caller: { ...a.caller, sharesFolder: false } });
    expect((await rowOf(world, program))?.heldFor).toBe('folder_in_use');
    await world.sweeper.runOnce();
    expect(await rowOf(world, program)).toMatchObject({ heldFor: null });
    expect(await askFor(program)).toMatchObject({ action: 'start' });
  });
});
