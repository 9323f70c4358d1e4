import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openCard } from '../../src/core/questions/question-lifecycle.ts';
import { QuestionQueries } from '../../src/core/questions/question-queries.ts';
import type { AppError } from '../../src/platform/errors.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';
import {
  expectInvariants,
  nextAction,
  rawClient,
  sessionOf,
  statusOf,
  untilBlocked,
} from '../chat/chat-support.ts';
import { ask, cardOf, questionTimeout, seenCards, workingAgent } from './question-support.ts';

let world: ServiceWorld;
beforeAll(async () => {
  world = await ServiceWorld.create();
});
afterAll(async () => {
  await expectInvariants(world);
  await world.close();
});

type Working = Awaited<ReturnType<typeof workingAgent>>;
let agent: Working;
beforeEach(async () => {
  agent = await workingAgent(world);
});

const asks = (
  text: string,
  more: { toolUseId?: string; idempotencyKey?: string } = {},
  caller = agent.caller,
) => world.questions.ask(caller, { questions: ask(text), ...more });
const answers = (toolUseId: string, value: unknown = { 0: '1' }) =>
  world.questions.answer(world.owner, toolUseId, value);
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'ok',
    (error: AppError) => error.code,
  );

/** The agent's process dies, and its run is reported. */
const crash = ({ runId }: { runId: string }) =>
  world.coordination.reportProcessExit({ runId, exitCode: null, signal: 'SIGKILL' });

/** Past the backoff after a crash; the Coordinator is still there. */
async function resume({ membership }: Working) {
  world.clock.advance(2_000);
  await world.coordinator();
  return world.signIn(membership);
}

describe('a card', () => {
  it('waits for a person, and brings his choice to the agent by label', async () => {
    const { toolUseId, status } = await asks('Which?');
    expect(status).toBe('pending');
    expect(toolUseId).toMatch(/^toolu_[0-9a-z]{20}$/);
    expect(await statusOf(world, agent.membership)).toMatchObject({ chatStatus: 'waiting_for_person' });
    expect(await answers(toolUseId)).toMatchObject({
      toolUseId,
      status: 'answered',
      answers: { 0: '1' },
      answeredBy: 'owner',
      answeredByName: 'Owner',
    });
    expect(await nextAction(world, agent.caller.sessionId)).toEqual({ kind: 'question_resolved', toolUseId });
    expect(await world.questions.offer(agent.caller.sessionId, toolUseId)).toEqual({
      toolUseId,
      status: 'answered',
      answers: { 'Which?': 'B' },
      repeat: false,
    });
    // Its first offer was not seen to arrive.
    expect(await world.questions.offer(agent.caller.sessionId, toolUseId)).toMatchObject({ repeat: true });
    await world.questions.acknowledged(agent.caller.sessionId, [toolUseId]);
    // Nothing more of the card; what it holds is still to be answered.
    expect(await nextAction(world, agent.caller.sessionId)).toEqual({
      kind: 'get_pending_messages',
      again: true,
    });
    expect(await statusOf(world, agent.membership)).toMatchObject({ chatStatus: 'busy' });
  });

  it('is the same for the same questions, until its end has been told', async () => {
    const first = await asks('Same?');
    expect(await asks('Same?')).toEqual(first);
    await answers(first.toolUseId);
    // Answered while the agent's call was lost on its way.
    const again = await asks('Same?');
    expect(again).toMatchObject({
      toolUseId: first.toolUseId,
      status: 'answered',
      answers: { 'Same?': 'B' },
    });
    await world.questions.acknowledged(agent.caller.sessionId, [first.toolUseId]);
    expect((await asks('Same?')).toolUseId).not.toBe(first.toolUseId);
  });

  it('keeps the id that the agent gave, which stands for these questions alone', async () => {
    await asks('Which?', { toolUseId: 'toolu_01AbC' });
    const { questions } = world;
    expect(await questions.ask(agent.caller, { toolUseId: 'toolu_01AbC' })).toMatchObject({
      status: 'pending',
    });
    expect(await codeOf(asks('Another?', { toolUseId: 'toolu_01AbC' }))).toBe('invalid_input');
    expect(await codeOf(questions.ask(agent.caller, { toolUseId: 'toolu_none' }))).toBe('question_not_found');
    expect(await codeOf(questions.ask(agent.caller, {}))).toBe('invalid_input');
    const stranger = await workingAgent(world);
    expect(await codeOf(asks('Which?', { toolUseId: 'toolu_01AbC' }, stranger.caller))).toBe('invalid_input');
  });

  it('is made once for one idempotency key, also after its end was told', async () => {
    const first = await asks('Once?', { idempotencyKey: 'k1' });
    await answers(first.toolUseId);
    await world.questions.acknowledged(agent.caller.sessionId, [first.toolUseId]);
    expect(await asks('Once?', { idempotencyKey: 'k1' })).toMatchObject({ ...first, status: 'answered' });
  });

  it('stands alone: further ones queue, and are shown one after the other', async () => {
    const first = await asks('First?');
    const second = await asks('Second?');
    const third = await asks('Third?');
    expect(second.status).toBe('pending');
    expect(await seenCards(world, agent.membership)).toEqual(['First? pending']);
    expect(await codeOf(answers(second.toolUseId))).toBe('question_not_found');
    await answers(first.toolUseId);
    expect(await seenCards(world, agent.membership)).toEqual(['Second? pending', 'First? answered']);
    // Its time begins when people see it.
    world.clock.advance(200_000);
    await answers(second.toolUseId);
    world.clock.advance(200_000);
    expect((await world.questions.outcomes([third.toolUseId])).get(third.toolUseId)?.status).toBe('pending');
  });

  it('two asked at once: one is shown, the other queues', async () => {
    await Promise.all([asks('Left?'), asks('Right?')]);
    expect(await seenCards(world, agent.membership)).toHaveLength(1);
  });
});

describe('an answer', () => {
  it('I-10: of many at once the first wins, the others are told so', async () => {
    const { toolUseId } = await asks('Race?');
    const lock = await rawClient(world);
    await lock.query('begin');
    await lock.query('select from user_questions where tool_use_id = $1 for update', [toolUseId]);
    const people = ['0', '1', 'other:me'].map((answer) => answers(toolUseId, { 0: answer }));
    const outcomes = people.map(codeOf);
    await untilBlocked(world, people.length);
    await lock.query('commit');
    await lock.end();
    expect((await Promise.all(outcomes)).sort()).toEqual([
      'ok',
      'question_already_answered',
      'question_already_answered',
    ]);
    const card = await cardOf(world, toolUseId);
    const [winner] = (await Promise.allSettled(people)).flatMap((one) =>
      one.status === 'fulfilled' ? [one.value] : [],
    );
    expect(winner?.answers).toEqual(card.answers);
  });

  it('that is none changes nothing: the card waits on', async () => {
    const { toolUseId } = await asks('Which?');
    for (const wrong of [null, {}, { 0: '2' }, { 0: 'B' }, { 0: '0', 1: '0' }, { 0: 'other:' }])
      expect(await codeOf(answers(toolUseId, wrong))).toBe('invalid_answer');
    expect(await cardOf(world, toolUseId)).toMatchObject({ state: 'pending', answers: null });
    expect(await codeOf(answers(toolUseId))).toBe('ok');
  });

  it('comes from whoever may write in the project, and from nobody else', async () => {
    const { toolUseId } = await asks('Who?');
    const member = { id: 'member', name: 'Member', accessLevel: 'member' } as const;
    await world.agents.create(world.owner, { ...member, type: 'human' });
    expect(await codeOf(world.questions.answer(member, toolUseId, { 0: '0' }))).toBe('question_not_found');
    await world.projects.putAgent(world.owner, { projectId: agent.membership.projectId, agentId: member.id });
    const viewer = { ...member, accessLevel: 'viewer' } as const;
    expect(await codeOf(world.questions.answer(viewer, toolUseId, { 0: '0' }))).toBe('forbidden');
    expect(await world.questions.answer(member, toolUseId, { 0: '0' })).toMatchObject({
      answeredBy: 'member',
    });
  });
});

describe('without an answer', () => {
  it('it times out by the sweeper, and a late answer is refused', async () => {
    const { toolUseId } = await asks('In time?');
    world.clock.advance(240_000);
    await world.coordinator('host-a', [agent.runId]);
    await world.sweeper.runOnce();
    expect(await cardOf(world, toolUseId)).toMatchObject({ state: 'pending' });
    world.clock.advance(60_000);
    await world.coordinator('host-a', [agent.runId]);
    await world.sweeper.runOnce();
    expect(await cardOf(world, toolUseId)).toMatchObject({ state: 'timeout', answeredBy: null });
    expect(await codeOf(answers(toolUseId))).toBe('question_already_answered');
    expect(await nextAction(world, agent.caller.sessionId)).toEqual({ kind: 'question_resolved', toolUseId });
    expect(await asks('In time?')).toEqual({ toolUseId, status: 'timeout' });
  });

  it('it times out by whoever looks, and by a late answer, without any sweep', async () => {
    const seen = await asks('Seen?');
    world.clock.advance(300_000);
    expect(await asks('Seen?')).toEqual({ ...seen, status: 'timeout' });
    const late = await asks('Late?');
    world.clock.advance(300_000);
    expect(await codeOf(answers(late.toolUseId))).toBe('question_already_answered');
    expect(await cardOf(world, late.toolUseId)).toMatchObject({ state: 'timeout', answers: null });
  });

  it('a changed time-out acts on the card that is open; 0 means never', async () => {
    const { toolUseId } = await asks('How long?');
    await questionTimeout(world, 0);
    world.clock.advance(3_600_000);
    expect((await world.questions.outcomes([toolUseId])).get(toolUseId)?.status).toBe('pending');
    await questionTimeout(world, null);
    world.clock.advance(2_000);
    expect((await world.questions.outcomes([toolUseId])).get(toolUseId)?.status).toBe('timeout');
  });

  it('a turn does not run out while it waits for a person', async () => {
    await questionTimeout(world, 0);
    await asks('Patient?');
    world.clock.advance(3_700_000);
    await world.coordinator('host-a', [agent.runId]);
    await world.sessions.touch([agent.caller.sessionId]);
    await world.sweeper.runOnce();
    expect(await sessionOf(world, agent.caller.sessionId)).toMatchObject({ state: 'active' });
    await questionTimeout(world, null);
    world.clock.advance(2_000);
  });
});

describe('the session goes', () => {
  it('logout cancels what it asked', async () => {
    const { toolUseId } = await asks('Left?');
    const queued = await asks('Behind?');
    await world.sessions.logout(agent.caller);
    expect(await cardOf(world, toolUseId)).toMatchObject({
      state: 'cancelled',
      cancelReason: 'session_ended',
    });
    expect(await cardOf(world, queued.toolUseId)).toMatchObject({ state: 'cancelled', shownAt: null });
  });

  it("a person's stop cancels, whether he ends the chat or only the answer", async () => {
    const ended = await asks('Ended?');
    await world.chat.end(world.owner, { ...agent.membership, force: true });
    expect(await cardOf(world, ended.toolUseId)).toMatchObject({
      state: 'cancelled',
      cancelReason: 'stopped_by_person',
    });
    agent = await workingAgent(world);
    const interrupted = await asks('Interrupted?');
    await world.chat.interrupt(world.owner, agent.membership);
    expect(await cardOf(world, interrupted.toolUseId)).toMatchObject({ state: 'cancelled' });
    // The session lives on and hears it.
    expect(await nextAction(world, agent.caller.sessionId)).toEqual({
      kind: 'question_resolved',
      toolUseId: interrupted.toolUseId,
    });
  });

  it('a close waits until it is answered and heard', async () => {
    const { toolUseId } = await asks('Closing?');
    await world.delivery.respond(agent.caller, { content: 'I have asked you something.' });
    expect(await world.chat.end(world.owner, { ...agent.membership, viewerId: 'viewer-1' })).toMatchObject({
      ended: 0,
    });
    await answers(toolUseId);
    await world.sweeper.runOnce();
    expect(await nextAction(world, agent.caller.sessionId)).toEqual({ kind: 'question_resolved', toolUseId });
    await world.questions.acknowledged(agent.caller.sessionId, [toolUseId]);
    await world.sweeper.runOnce();
    expect(await nextAction(world, agent.caller.sessionId)).toMatchObject({ kind: 'exit' });
  });

  it('after a crash the same questions find the same card', async () => {
    const { toolUseId } = await asks('Crashed?');
    await crash(agent);
    expect(await seenCards(world, agent.membership)).toEqual(['Crashed? pending']);
    const resumed = await resume(agent);
    expect(await asks('Crashed?', {}, resumed.caller)).toEqual({ toolUseId, status: 'pending' });
    // It is the new session's now, and outlives the minute.
    world.clock.advance(61_000);
    await world.coordinator('host-a', [resumed.runId]);
    await world.sessions.touch([resumed.caller.sessionId]);
    await world.sweeper.runOnce();
    await answers(toolUseId);
    expect(await nextAction(world, resumed.caller.sessionId)).toMatchObject({
      kind: 'get_pending_messages',
      again: false,
    });
    expect(await asks('Crashed?', {}, resumed.caller)).toMatchObject({ status: 'answered' });
  });

  it('after a crash a queued one that is asked first again is shown when the other is over', async () => {
    await asks('Shown before?');
    const queued = await asks('Queued before?');
    await crash(agent);
    const { caller, runId } = await resume(agent);
    expect(await asks('Queued before?', {}, caller)).toEqual(queued);
    // One at a time: the other may still be taken over.
    expect(await seenCards(world, agent.membership)).toEqual(['Shown before? pending']);
    world.clock.advance(61_000);
    await world.coordinator('host-a', [runId]);
    await world.sessions.touch([caller.sessionId]);
    await world.sweeper.runOnce();
    expect(await seenCards(world, agent.membership)).toContain('Queued before? pending');
    await answers(queued.toolUseId);
    expect(await asks('Queued before?', {}, caller)).toMatchObject({ status: 'answered' });
  });

  it('after a crash both are asked again in another order: each is the same card, one after the other', async () => {
    const first = await asks('First before?');
    const second = await asks('Second before?');
    await crash(agent);
    const { caller } = await resume(agent);
    expect(await asks('Second before?', {}, caller)).toEqual(second);
    expect(await asks('First before?', {}, caller)).toEqual(first);
    expect(await seenCards(world, agent.membership)).toEqual(['First before? pending']);
    await answers(first.toolUseId);
    expect(await seenCards(world, agent.membership)).toEqual([
      'Second before? pending',
      'First before? answered',
    ]);
    await answers(second.toolUseId);
  });

  it('after a crash nobody takes it over: a minute later it is cancelled', async () => {
    const { toolUseId } = await asks('Alone?');
    await crash(agent);
    world.clock.advance(30_000);
    await world.coordinator();
    await world.sweeper.runOnce();
    expect(await cardOf(world, toolUseId)).toMatchObject({ state: 'pending' });
    world.clock.advance(30_000);
    await world.sweeper.runOnce();
    expect(await cardOf(world, toolUseId)).toMatchObject({ state: 'cancelled', cancelReason: 'agent_gone' });
  });

  it('what a person answers after the crash wakes the agent, whose next session hears it', async () => {
    const { toolUseId } = await asks('Woken?');
    await world.delivery.respond(agent.caller, { content: 'I wait for your word.' });
    await crash(agent);
    expect(
      (await world.coordination.getAgentAction({ ...agent.membership, coordinatorId: 'host-a' })).action,
    ).toBe('hold');
    await answers(toolUseId);
    const resumed = await resume(agent);
    expect(await nextAction(world, resumed.caller.sessionId)).toEqual({
      kind: 'question_resolved',
      toolUseId,
    });
  });

  it('what was on its way to a process that died is not told to the next one while that asks something else', async () => {
    const { toolUseId } = await asks('On its way?');
    await answers(toolUseId);
    await world.questions.offer(agent.caller.sessionId, toolUseId);
    await world.delivery.respond(agent.caller, { content: 'I go on.' });
    await crash(agent);
    const { membership } = agent;
    await world.chat.post(world.owner, { ...membership, content: 'Go on' });
    const { caller } = await resume(agent);
    await world.delivery.take(caller);
    const other = await asks('And this?', {}, caller);
    expect(await nextAction(world, caller.sessionId)).toEqual({ kind: 'wait' });
    await answers(other.toolUseId);
    expect(await nextAction(world, caller.sessionId)).toMatchObject({ toolUseId: other.toolUseId });
    await world.receipts.written(caller, { kind: 'question', toolUseId: other.toolUseId });
    expect(await asks('On its way?', {}, caller)).toMatchObject({ toolUseId, status: 'answered' });
  });

  it('a sign-in that takes its place takes its card too', async () => {
    const membership = await world.agentInProject({ credential: false });
    const { passkey } = await world.agents.setPasskey(world.owner, membership.agentId, {});
    await world.chat.start(world.owner, membership);
    const sign = async () => {
      const result = await world.sessions.authenticate({
        ...membership,
        passkey,
        replace: true,
        address: '::1',
      });
      if (!result.success || result.sessionToken === undefined) throw new Error('refused');
      return world.sessions.resolve(result.sessionToken);
    };
    const before = await sign();
    await world.chat.post(world.owner, { ...membership, content: 'Decide' });
    const { toolUseId } = await asks('Replaced?', {}, before);
    const after = await sign();
    await world.delivery.take(after);
    expect(await asks('Replaced?', {}, after)).toEqual({ toolUseId, status: 'pending' });
  });

  it('the agent, its membership or its project going away cancels', async () => {
    const { toolUseId } = await asks('Gone?');
    await world.projects.removeAgent(world.owner, agent.membership);
    expect(await cardOf(world, toolUseId)).toMatchObject({ state: 'cancelled', cancelReason: 'went_away' });
  });

  it('an ending session asks nothing new', async () => {
    await world.chat.end(world.owner, { ...agent.membership, force: true });
    expect(await asks('Too late?')).toMatchObject({ status: 'cancelled' });
    expect(await seenCards(world, agent.membership)).toEqual([]);
  });
});

describe('where nobody is there', () => {
  it.each(['has spoken', 'has opened its chat'])(
    'a session that no person opened asks nothing, until a person %s',
    async (how) => {
      const membership = await world.agentInProject({ credential: false });
      const { passkey } = await world.agents.setPasskey(world.owner, membership.agentId, {});
      const result = await world.sessions.authenticate({ ...membership, passkey, address: '::1' });
      if (!result.success || result.sessionToken === undefined) throw new Error('refused');
      const caller = await world.sessions.resolve(result.sessionToken);
      expect(await world.questions.mayAsk(result.sessionToken)).toBe(false);
      expect(await asks('Anybody?', {}, caller)).toMatchObject({ status: 'unavailable' });
      expect(await seenCards(world, membership)).toEqual([]);
      if (how === 'has spoken') {
        await world.chat.post(world.owner, { ...membership, content: 'Here I am' });
        await world.delivery.take(caller);
      } else expect((await world.chat.start(world.owner, membership)).status).toBe('already_active');
      expect(await world.questions.mayAsk(result.sessionToken)).toBe(true);
      expect(await asks('Anybody?', {}, caller)).toMatchObject({ status: 'pending' });
    },
  );

  it('an unknown bearer says nothing about it', async () => {
    expect(await world.questions.mayAsk('nobody')).toBeNull();
    expect(await world.questions.mayAsk(agent.ticket)).toBe(true);
  });
});

describe("the system's own card", () => {
  const open = (about: string) =>
    world.database.transaction((tx) =>
      openCard(tx, { ...agent.membership, about, questions: ask('Go on?') }, world.clock.now()),
    );

  it('stands once for one thing, waits without end, and is read by what it is about', async () => {
    const about = `chain:${agent.membership.agentId}`;
    const questions = new QuestionQueries(world.database.db);
    expect(await questions.findAbout(about)).toBeNull();
    const { toolUseId } = await open(about);
    expect(await open(about)).toEqual({ toolUseId });
    world.clock.advance(86_400_000);
    await world.sweeper.runOnce();
    expect(await questions.findAbout(about)).toMatchObject({ toolUseId, state: 'pending' });
    await answers(toolUseId, { 0: '0' });
    expect(await questions.findAbout(about)).toMatchObject({ state: 'answered', answers: { 0: '0' } });
    expect((await open(about)).toolUseId).not.toBe(toolUseId);
  });

  it('keeps no session busy, and goes when its membership goes away', async () => {
    const { toolUseId } = await open(`chain:${agent.membership.agentId}-2`);
    expect(await statusOf(world, agent.membership)).toMatchObject({ chatStatus: 'busy' });
    await world.projects.removeAgent(world.owner, agent.membership);
    expect(await cardOf(world, toolUseId)).toMatchObject({ state: 'cancelled' });
  });
});
