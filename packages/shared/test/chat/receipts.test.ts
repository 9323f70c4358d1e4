import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentCaller } from '../../src/core/access/agent-caller.ts';
import { MAX_OFFERS, receiptOf } from '../../src/core/chat/delivery/receipts.ts';
import { MAX_BATCH_OFFERS } from '../../src/core/sessions/rules/next-action.ts';
import { ServiceWorld, type WorldAgent } from '../../src/testing/service-world.ts';
import { toRun } from '../approvals/approval-support.ts';
import { TalkWorld } from '../conversations/conversation-support.ts';
import { ask } from '../questions/question-support.ts';
import {
  beat,
  expectInvariants,
  messageOf,
  nextAction,
  rawClient,
  sessionOf,
  untilBlocked,
} from './chat-support.ts';

/** A response that was written has not arrived (traps 21 and 22). */
let world: ServiceWorld;
let talks: TalkWorld;
beforeAll(async () => {
  world = await ServiceWorld.create();
  talks = TalkWorld.on(world);
});
afterAll(async () => {
  await expectInvariants(world);
  await world.close();
});

const HELD = { kind: 'get_pending_messages', again: true };

async function warm() {
  const membership = await world.agentInProject();
  return { membership, ...(await world.warmAgent(membership, `host-${membership.agentId}`)) };
}

async function post(membership: WorldAgent, content: string) {
  return (await world.chat.post(world.owner, { ...membership, content })).message;
}

const statesOf = async (...ids: string[]) =>
  Promise.all(ids.map(async (id) => (await messageOf(world, id)).state));

/** What get_next_action says; an offer of what is held is written, so it counts. */
async function asked(caller: AgentCaller) {
  const action = await nextAction(world, caller.sessionId);
  if (action?.kind === 'get_pending_messages' && action.again)
    await world.delivery.offeredAgain(caller.sessionId);
  return action;
}

describe('a batch in the chat', () => {
  it('trap 21: whose response was lost is offered at once and comes again, with what is new, under a name of its own', async () => {
    const { membership, caller } = await warm();
    const first = await post(membership, 'lost on the way');
    const lost = await world.delivery.take(caller);
    expect(await asked(caller)).toEqual(HELD);
    const again = await world.delivery.take(caller);
    expect(again).toMatchObject({ batchId: lost.batchId, source: { kind: 'chat' } });
    expect(again.pendingMessages.map(({ id, repeat }) => [id, repeat])).toEqual([[first.id, true]]);
    const second = await post(membership, 'new');
    const grown = await world.delivery.take(caller);
    expect(grown.batchId).not.toBe(lost.batchId);
    expect(grown.pendingMessages.map(({ id, repeat }) => [id, repeat])).toEqual([
      [first.id, true],
      [second.id, undefined],
    ]);
    expect(await world.delivery.respond(caller, { content: 'both' })).toMatchObject({ answered: 2 });
  });

  it('trap 22: an answer answers its batch, and nothing that came after it', async () => {
    const { membership, caller } = await warm();
    const seen = await post(membership, 'seen');
    const { batchId } = await world.delivery.take(caller);
    const unseen = await post(membership, 'unseen');
    await world.delivery.take(caller);
    const said = await world.delivery.respond(caller, { content: 'to the first', batchId: batchId ?? '' });
    expect(said).toMatchObject({ answered: 1 });
    expect(await statesOf(seen.id, unseen.id)).toEqual(['answered', 'delivered']);
    const rest = await world.delivery.take(caller);
    expect(rest.pendingMessages.map(({ id, repeat }) => [id, repeat])).toEqual([[unseen.id, true]]);
    await world.delivery.respond(caller, { content: 'to the second', batchId: rest.batchId ?? '' });
    expect(await statesOf(unseen.id)).toEqual(['answered']);
  });

  it('is offered three times, then the turn limit rules', async () => {
    const { membership, caller } = await warm();
    await post(membership, 'hello');
    await world.delivery.take(caller);
    for (let offer = 0; offer < MAX_BATCH_OFFERS; offer += 1) expect(await asked(caller)).toEqual(HELD);
    expect(await asked(caller)).toEqual({ kind: 'wait' });
    // It can be had all the same.
    expect((await world.delivery.take(caller)).pendingMessages).toHaveLength(1);
    await world.delivery.respond(caller, { content: 'hello' });
  });

  it('is not offered in the middle of a turn: as long as a heartbeat is held, or a person is asked', async () => {
    const { membership, caller } = await warm();
    await post(membership, 'hello');
    await world.delivery.take(caller);
    await world.sessions.beat(caller, { phase: 'thinking', holdSeconds: 10 });
    expect(await nextAction(world, caller.sessionId)).toEqual({ kind: 'wait' });
    expect(await world.sessions.withNews([caller.sessionId])).toEqual([]);
    world.clock.advance(11_001);
    expect(await nextAction(world, caller.sessionId)).toEqual(HELD);
    expect(await world.sessions.withNews([caller.sessionId])).toEqual([caller.sessionId]);
    const { toolUseId } = await world.questions.ask(caller, { questions: ask('Which?') });
    expect(await nextAction(world, caller.sessionId)).toEqual({ kind: 'wait' });
    await world.questions.answer(world.owner, toolUseId, { 0: '0' });
    await world.questions.acknowledged(caller.sessionId, [toolUseId]);
    await world.delivery.respond(caller, { content: 'as you like' });
  });

  it('the same words about the same batch are one answer, also twice at once; other words are a further message', async () => {
    const { membership, caller } = await warm();
    await post(membership, 'hello');
    const batchId = (await world.delivery.take(caller)).batchId ?? '';
    const gate = await rawClient(world);
    await gate.query('begin');
    await gate.query('select from agent_sessions where id = $1 for update', [caller.sessionId]);
    const twice = [1, 2].map(() => world.delivery.respond(caller, { content: 'hi', batchId }));
    await untilBlocked(world, 2);
    await gate.query('commit');
    await gate.end();
    const [one, other] = await Promise.all(twice);
    expect(one).toMatchObject({ answered: 1, message: { content: 'hi' } });
    expect(other).toEqual(one);
    expect(await world.delivery.respond(caller, { content: 'and more', batchId })).toMatchObject({
      answered: 0,
      message: { content: 'and more' },
    });
    const { messages } = await world.history.list(world.owner, { ...membership, limit: 10 });
    expect(messages.map(({ content }) => content)).toEqual(['hello', 'hi', 'and more']);
  });

  it('an interim word leaves it open for the answer', async () => {
    const { membership, caller } = await warm();
    const message = await post(membership, 'hello');
    const batchId = (await world.delivery.take(caller)).batchId ?? '';
    await world.delivery.respond(caller, { content: 'a moment', batchId, done: false });
    expect(await statesOf(message.id)).toEqual(['delivered']);
    expect(await world.delivery.respond(caller, { content: 'here', batchId })).toMatchObject({ answered: 1 });
  });

  it('of another session, or of none, is refused and nothing is stored', async () => {
    const { membership, caller } = await warm();
    const other = await warm();
    await post(other.membership, 'not yours');
    const foreign = (await world.delivery.take(other.caller)).batchId ?? '';
    for (const batchId of [foreign, 'bat_00000000000000000000'])
      await expect(world.delivery.respond(caller, { content: 'x', batchId })).rejects.toMatchObject({
        code: 'batch_not_found',
      });
    expect((await world.history.list(world.owner, { ...membership, limit: 10 })).totalCount).toBe(0);
    await world.delivery.respond(other.caller, { content: 'mine' });
  });

  it('of more than fifty messages grows by what the calls before left over', async () => {
    const { membership, caller } = await warm();
    for (let index = 0; index < 52; index += 1) await post(membership, `${index}`);
    const first = await world.delivery.take(caller);
    expect(first.pendingMessages).toHaveLength(50);
    expect(
      await world.delivery.respond(caller, { content: 'fifty', batchId: first.batchId ?? '' }),
    ).toMatchObject({
      answered: 50,
    });
    expect((await world.delivery.take(caller)).pendingMessages.map(({ content }) => content)).toEqual([
      '50',
      '51',
    ]);
    await world.delivery.respond(caller, { content: 'two' });
  });

  it('belongs to its session: the next one is given the messages in a batch of its own', async () => {
    const { membership, caller, runId } = await warm();
    const message = await post(membership, 'hello');
    const before = (await world.delivery.take(caller)).batchId;
    await world.coordination.reportProcessExit({ runId, exitCode: null, signal: 'SIGKILL' });
    await world.sweeper.runOnce();
    world.clock.advance(60_000);
    const next = await world.warmAgent(membership, `host-${membership.agentId}`);
    const { batchId, pendingMessages } = await world.delivery.take(next.caller);
    expect(batchId).not.toBe(before);
    expect(pendingMessages).toMatchObject([{ id: message.id, redelivered: true }]);
    expect(pendingMessages[0]).not.toHaveProperty('repeat');
    await world.delivery.respond(next.caller, { content: 'here' });
  });
});

describe('Stop in a turn about a conversation that ends meanwhile', () => {
  it.each([
    ['heard of it', true],
    ['did not', false],
  ])('is not for the next turn, which can be stopped itself: it %s', async (_what, isTold) => {
    const { a, b, id } = await talks.talking();
    const of = { projectId: b.projectId, agentId: b.agentId };
    const { sessionId } = b.caller;
    const control = async () => (await world.sessions.controls([sessionId])).get(sessionId);
    await talks.say(a, b, 'a question');
    await world.delivery.take(b.caller);
    await world.chat.interrupt(world.owner, of);
    if (isTold) {
      await world.sessions.offerControl(sessionId, 'interrupt');
      await world.sessions.controlAcknowledged(sessionId, 'interrupt');
    }
    await world.conversations.stop(world.owner, id);
    await talks.hear(b);
    await post(b, 'something new');
    await world.delivery.take(b.caller);
    expect(await control()).toBeNull();
    await world.chat.interrupt(world.owner, of);
    expect(await control()).toEqual({ control: 'interrupt', repeat: false });
    await world.delivery.respond(b.caller, { content: 'here' });
  });
});

describe('several sources', () => {
  it('something new comes before what is held; then all that is held comes again, in turn', async () => {
    const { a, b, id } = await talks.talking();
    const chat = await post(a, 'from a person');
    await world.delivery.take(a.caller);
    await talks.say(b, a, 'from a colleague');
    const talk = await world.delivery.take(a.caller);
    expect(talk.source).toEqual({ kind: 'conversation', conversationId: id, agentId: b.agentId });
    const sources = [];
    for (let call = 0; call < 3; call += 1) sources.push((await world.delivery.take(a.caller)).source?.kind);
    expect(sources).toEqual(['chat', 'conversation', 'chat']);
    // Named by its batch, whatever was given last.
    await world.delivery.respond(a.caller, { content: 'to the colleague', batchId: talk.batchId ?? '' });
    expect(await statesOf(chat.id)).toEqual(['delivered']);
    await expect(
      world.delivery.respond(a.caller, {
        content: 'x',
        batchId: talk.batchId ?? '',
        targetAgentId: 'user',
      }),
    ).rejects.toMatchObject({ code: 'invalid_input' });
    await world.delivery.respond(a.caller, { content: 'to the person', targetAgentId: 'user' });
    expect(await statesOf(chat.id)).toEqual(['answered']);
  });

  it('what was given a minute ago comes before what is new elsewhere, in turn with it, and not within a turn', async () => {
    const { a, b } = await talks.talking();
    const lost = (await talks.say(b, a, 'its response was cut')).message;
    const { batchId } = await world.delivery.take(a.caller);
    const givenAMinuteAgo = () =>
      world.database.db
        .updateTable('deliveryBatches')
        .set({ givenAt: sql`given_at - interval '1 minute'` })
        .where('id', '=', batchId ?? '')
        .execute();
    await post(a, 'one');
    expect((await world.delivery.take(a.caller)).source).toEqual({ kind: 'chat' });
    await givenAMinuteAgo();
    await post(a, 'two');
    const again = await world.delivery.take(a.caller);
    expect([again.batchId, again.pendingMessages]).toMatchObject([batchId, [{ id: lost.id, repeat: true }]]);
    await givenAMinuteAgo();
    expect((await world.delivery.take(a.caller)).source).toEqual({ kind: 'chat' });
    await givenAMinuteAgo();
    await world.sessions.beat(a.caller, { phase: 'thinking', holdSeconds: 60 });
    await post(a, 'three');
    expect((await world.delivery.take(a.caller)).source).toEqual({ kind: 'chat' });
    await world.delivery.respond(a.caller, { content: 'here' });
    await world.delivery.respond(a.caller, { batchId: batchId ?? '' });
  });

  it('something new elsewhere does not use up the offers of what is held', async () => {
    const { a, b } = await talks.talking();
    const lost = (await talks.say(b, a, 'its response was cut')).message;
    await world.delivery.take(a.caller);
    for (let round = 0; round <= MAX_BATCH_OFFERS; round += 1) {
      expect(await asked(a.caller)).toEqual(HELD);
      await post(a, 'meanwhile');
      expect((await world.delivery.take(a.caller)).source).toEqual({ kind: 'chat' });
      await world.delivery.respond(a.caller, { content: 'here' });
    }
    expect(await asked(a.caller)).toEqual(HELD);
    expect((await world.delivery.take(a.caller)).pendingMessages).toMatchObject([
      { id: lost.id, repeat: true },
    ]);
    await world.delivery.respond(a.caller, {});
  });

  it('trap 22 between agents: an answer answers its batch; the same words again are the same answer', async () => {
    const { a, b } = await talks.talking();
    const seen = (await talks.say(b, a, 'one')).message;
    const batchId = (await world.delivery.take(a.caller)).batchId ?? '';
    const unseen = (await talks.say(b, a, 'two')).message;
    await world.delivery.take(a.caller);
    const said = await world.delivery.respond(a.caller, { content: 'to one', batchId });
    expect(said).toMatchObject({ answered: 1 });
    expect(await statesOf(seen.id, unseen.id)).toEqual(['answered', 'delivered']);
    expect(await world.delivery.respond(a.caller, { content: 'to one', batchId })).toMatchObject({
      answered: 1,
      message: { id: said.message?.id },
    });
    await world.delivery.send(a.caller, { targetAgentId: b.agentId, content: 'to two' });
    expect(await statesOf(unseen.id)).toEqual(['answered']);
  });

  it('an end answers what its maker holds; the other side hears again what it has not answered', async () => {
    const { a, b } = await talks.talking();
    const held = (await talks.say(b, a, 'to whoever ends it')).message;
    await world.delivery.take(a.caller);
    const lost = (await talks.say(a, b, 'its response was cut')).message;
    await world.delivery.take(b.caller);
    const last = (await talks.say(a, b, 'not fetched')).message;
    await world.talks.end(a.caller, { targetAgentId: b.agentId });
    expect(await statesOf(held.id, lost.id, last.id)).toEqual(['answered', 'stored', 'stored']);
    const action = await talks.next(b);
    if (action?.kind !== 'conversation') throw new Error('nothing is told of the end');
    const told = await world.talks.offer(b.caller, action.notice);
    expect(told?.messages.map(({ id, repeat }) => [id, repeat])).toEqual([
      [lost.id, true],
      [last.id, undefined],
    ]);
    await world.receipts.written(b.caller, action);
    expect(await statesOf(lost.id, last.id)).toEqual(['answered', 'answered']);
  });
});

describe('what is told once', () => {
  it('is told again to a session that names receipts, until it names this one', async () => {
    const { membership, caller } = await warm();
    await post(membership, 'hello');
    await world.delivery.take(caller);
    await world.receipts.received(caller, []);
    const { toolUseId } = await world.questions.ask(caller, { questions: ask('Which?') });
    await world.questions.answer(world.owner, toolUseId, { 0: '0' });
    const subject = { kind: 'question', toolUseId } as const;
    for (const repeat of [false, true]) {
      expect(await nextAction(world, caller.sessionId)).toEqual({ kind: 'question_resolved', toolUseId });
      expect(await world.questions.offer(caller.sessionId, toolUseId)).toMatchObject({ repeat });
      await world.receipts.written(caller, subject);
    }
    await world.receipts.received(caller, [receiptOf(subject), 'nonsense', 'ended:conv_of_nobody']);
    expect(await nextAction(world, caller.sessionId)).toEqual(HELD);
    await world.delivery.respond(caller, { content: 'done' });
  });

  it('so is a decision of a person, until its receipt is named', async () => {
    const { membership, caller } = await warm();
    await post(membership, 'hello');
    await world.delivery.take(caller);
    await world.receipts.received(caller, []);
    const { toolUseId } = await world.approvals.request(caller, toRun('ls'));
    await world.approvals.decide(world.owner, toolUseId, { decision: 'allow_once' });
    const subject = { kind: 'approval', toolUseId } as const;
    for (const repeat of [false, true]) {
      expect(await nextAction(world, caller.sessionId)).toEqual({ kind: 'approval_resolved', toolUseId });
      expect(await world.approvals.offer(caller.sessionId, toolUseId)).toMatchObject({
        status: 'allowed_once',
        repeat,
      });
      await world.receipts.written(caller, subject);
    }
    // A question of the same id is another thing.
    await world.receipts.received(caller, [receiptOf({ kind: 'question', toolUseId })]);
    expect(await nextAction(world, caller.sessionId)).toEqual({ kind: 'approval_resolved', toolUseId });
    await world.receipts.received(caller, [receiptOf(subject)]);
    expect(await nextAction(world, caller.sessionId)).toEqual(HELD);
    await world.delivery.respond(caller, { content: 'done' });
  });

  it('is told when it was written to a session that never named one', async () => {
    const { membership, caller } = await warm();
    await post(membership, 'hello');
    await world.delivery.take(caller);
    const { toolUseId } = await world.questions.ask(caller, { questions: ask('Which?') });
    await world.questions.answer(world.owner, toolUseId, { 0: '0' });
    await world.receipts.written(caller, { kind: 'question', toolUseId });
    expect(await nextAction(world, caller.sessionId)).toEqual(HELD);
    await world.delivery.respond(caller, { content: 'done' });
  });

  it('the end of a conversation comes again, marked, and counts as heard by its receipt', async () => {
    const { a, b, id } = await talks.talking();
    await world.receipts.received(b.caller, []);
    await world.talks.end(a.caller, { targetAgentId: b.agentId });
    expect(await talks.hear(b)).toMatchObject({ action: 'ended', repeat: false });
    expect(await talks.hear(b)).toMatchObject({ action: 'ended', repeat: true });
    expect(await talks.view(id)).toMatchObject({ state: 'terminating' });
    const notice = { kind: 'ended', conversationId: id } as const;
    await world.receipts.received(b.caller, [receiptOf({ kind: 'conversation', notice })]);
    expect(await talks.view(id)).toMatchObject({ state: 'ended' });
    expect(await talks.next(b)).toEqual({ kind: 'wait' });
  });

  it('a session that forgets to name it is told ten times, and then hears other things again', async () => {
    const { a, b } = await talks.talking();
    await world.receipts.received(b.caller, ['anything']);
    await world.talks.end(a.caller, { targetAgentId: b.agentId });
    await post(b, 'is anybody there?');
    for (let subject = 0; subject < MAX_OFFERS; subject += 1)
      expect(await talks.hear(b)).toMatchObject({ action: 'ended', repeat: subject > 0 });
    expect(await talks.next(b)).toEqual({ kind: 'get_pending_messages', again: false });
    await world.delivery.take(b.caller);
    await world.delivery.respond(b.caller, { content: 'here' });
  });

  it('a receipt of an earlier session, named late, tells its successor nothing', async () => {
    const { a, b, id } = await talks.talking();
    await world.talks.end(a.caller, { targetAgentId: b.agentId });
    expect(await talks.hear(b, { lost: true })).toMatchObject({ action: 'ended' });
    await world.coordination.reportProcessExit({ runId: b.runId, exitCode: 1 });
    world.clock.advance(60_000);
    const next = await talks.warm(b);
    expect(await talks.hear(next, { lost: true })).toMatchObject({ action: 'ended' });
    const subject = { kind: 'conversation', notice: { kind: 'ended', conversationId: id } } as const;
    await world.receipts.received(b.caller, [receiptOf(subject)]);
    await world.receipts.written(b.caller, subject);
    expect(await talks.hear(next)).toMatchObject({ action: 'ended', repeat: true });
  });

  it('an interrupt stays through an interim word, until the turn is answered', async () => {
    const { membership, caller } = await warm();
    await post(membership, 'hello');
    await world.delivery.take(caller);
    await world.chat.interrupt(world.owner, membership);
    await world.delivery.respond(caller, { content: 'a moment', done: false });
    expect(await beat(world, caller)).toMatchObject({ control: 'interrupt' });
    await world.delivery.respond(caller, { content: 'stopped' });
  });

  it('a call beside a held heartbeat does not make its turn shorter', async () => {
    const { membership, caller } = await warm();
    await post(membership, 'hello');
    await world.delivery.take(caller);
    await world.sessions.beat(caller, { phase: 'thinking', holdSeconds: 25 });
    await world.sessions.beat(caller, { phase: 'writing' });
    world.clock.advance(5_000);
    expect(await nextAction(world, caller.sessionId)).toEqual({ kind: 'wait' });
    await world.delivery.respond(caller, { content: 'here' });
  });

  it('another session’s receipt tells nobody anything', async () => {
    const { membership, caller } = await warm();
    const stranger = await warm();
    await post(membership, 'hello');
    await world.delivery.take(caller);
    const { toolUseId } = await world.questions.ask(caller, { questions: ask('Which?') });
    await world.questions.answer(world.owner, toolUseId, { 0: '0' });
    await world.receipts.received(stranger.caller, [receiptOf({ kind: 'question', toolUseId })]);
    expect(await nextAction(world, caller.sessionId)).toEqual({ kind: 'question_resolved', toolUseId });
    await world.questions.acknowledged(caller.sessionId, [toolUseId]);
    await world.delivery.respond(caller, { content: 'done' });
    expect((await sessionOf(world, stranger.caller.sessionId)).usesReceipts).toBe(true);
  });
});
