import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkInvariants } from '../../src/testing/invariants.ts';
import type { ServiceWorld } from '../../src/testing/service-world.ts';
import { rowOf } from '../chat/chat-support.ts';
import { refusal, type Talker, TalkWorld } from './conversation-support.ts';

/** What agents may say to one another without a person, and what a person says to that. */
let talk: TalkWorld;
let world: ServiceWorld;
beforeAll(async () => {
  talk = await TalkWorld.create();
  world = talk.services;
});
afterAll(async () => {
  expect(await checkInvariants(world.database)).toEqual([]);
  await world.close();
});

/** What get_next_action says of a card, told. */
async function hearAnswer(agent: Talker) {
  const action = await talk.next(agent);
  if (action?.kind !== 'question_resolved') throw new Error(`heard ${JSON.stringify(action)}`);
  const offered = await world.questions.offer(agent.caller.sessionId, action.toolUseId);
  await world.questions.acknowledged(agent.caller.sessionId, [action.toolUseId]);
  return offered;
}

describe('limits', () => {
  it('max_messages: near it the results say so; the last word ends the conversation, and is read with the notice', async () => {
    const { a, b } = await talk.workers();
    const started = await world.talks.start(a.caller, {
      targetAgentId: b.agentId,
      maxMessages: 3,
      initialMessage: '1',
    });
    expect(started.nearLimit).toEqual({ limit: 'max_messages', messagesLeft: 2 });
    const partner = await talk.signIn(b);
    await talk.hear(partner);
    await talk.read(partner);
    expect((await world.delivery.respond(partner.caller, { content: '2' })).nearLimit).toMatchObject({
      messagesLeft: 1,
    });
    await talk.read(a);
    expect((await world.delivery.respond(a.caller, { content: '3' })).nearLimit).toMatchObject({
      messagesLeft: 0,
    });
    expect(
      await refusal(world.delivery.send(partner.caller, { targetAgentId: a.agentId, content: '4' })),
    ).toMatch(/no_active_conversation|conversation_required/);
    const end = { action: 'ended', reason: 'max_messages', endedBy: null };
    expect(await talk.hear(partner)).toMatchObject({ ...end, messages: ['3'] });
    expect(await talk.hear(a)).toMatchObject({ ...end, messages: [] });
    expect(await talk.view(started.conversation.id)).toMatchObject({ state: 'ended', messageCount: 3 });
  });

  it('the last word to one who is away is delivered first; a word beyond it ends the conversation', async () => {
    const { a, b } = await talk.workers();
    const { conversation } = await world.talks.start(a.caller, {
      targetAgentId: b.agentId,
      maxMessages: 2,
      initialMessage: '1',
    });
    await world.delivery.send(a.caller, { targetAgentId: b.agentId, content: '2' });
    expect(await talk.view(conversation.id)).toMatchObject({ state: 'pending', messageCount: 2 });
    const partner = await talk.signIn(b);
    await talk.hear(partner);
    expect(await talk.read(partner)).toMatchObject({ words: ['1', '2'] });
    expect(await refusal(world.delivery.respond(partner.caller, { content: '3' }))).toBe(
      'no_active_conversation',
    );
    expect(await talk.view(conversation.id)).toMatchObject({ endReason: 'max_messages', messageCount: 2 });
  });

  it('three agents that talk in circles, by new conversations too, stop at the chain’s limit', async () => {
    await talk.set({ chainMaxMessages: 7 });
    const first = await world.agentInProject();
    const ring = [await talk.warm(first)];
    for (let index = 1; index < 3; index += 1) ring.push(await talk.warm(await world.colleague(first)));
    const refusals: (string | undefined)[] = [];
    for (let turn = 0; turn < 30 && !refusals.includes('chain_limit'); turn += 1) {
      const [speaker, listener] = [ring[turn % 3], ring[(turn + 1) % 3]];
      if (!speaker || !listener) throw new Error('an empty ring');
      refusals.push(
        await refusal(
          world.talks.start(speaker.caller, { targetAgentId: listener.agentId, initialMessage: 'と言った' }),
        ),
      );
      await talk.hear(listener);
      await talk.read(listener);
      await refusal(world.talks.end(listener.caller, {}));
      await talk.hear(speaker);
    }
    expect(refusals.at(-1)).toBe('chain_limit');
    const { conversations } = await world.conversations.list(world.owner, first.projectId, { limit: 50 });
    expect(new Set(conversations.map(({ chainId }) => chainId)).size, 'one chain').toBe(1);
    expect(conversations[0]).toMatchObject({ chainMessageCount: 7, chainMaxMessages: 7 });

    // People are asked, once; "go on" gives the chain its limit once more.
    const [one, two] = ring;
    if (!one || !two) throw new Error('an empty ring');
    const cards = await world.questions.list(world.owner, first.projectId, { limit: 50 });
    expect(cards.questions).toMatchObject([
      {
        status: 'pending',
        questions: [
          {
            options: [{ label: '続けてよい' }, { label: 'ここまで' }],
            reason: { code: 'chain_limit', params: { one: expect.any(String), count: expect.any(Number) } },
          },
        ],
      },
    ]);
    const begin = () => refusal(world.talks.start(one.caller, { targetAgentId: two.agentId }));
    expect(await begin()).toBe('chain_limit');
    await world.questions.answer(world.owner, cards.questions[0]?.toolUseId ?? '', { '0': '0' });
    expect(await begin()).toBe('no refusal');
    const [newest] = (await world.conversations.list(world.owner, first.projectId, { limit: 1 }))
      .conversations;
    expect(newest).toMatchObject({ chainMessageCount: 7, chainMaxMessages: 14 });
    await world.talks.end(one.caller, { targetAgentId: two.agentId });

    // A word of a person begins anew.
    await world.chat.post(world.owner, {
      projectId: one.projectId,
      agentId: one.agentId,
      content: 'もう一度',
    });
    await talk.read(one);
    const again = await world.talks.start(one.caller, { targetAgentId: two.agentId });
    expect(again.conversation.chainMessageCount).toBe(0);
    await talk.set({ chainMaxMessages: null });
  });

  it('the hour: an agent that has said its number is refused, and may again later', async () => {
    await talk.set({ projectAgentMessagesPerHour: 2 });
    const { a, b } = await talk.talking();
    await talk.say(a, b, '1');
    await talk.say(a, b, '2');
    expect(await refusal(talk.say(a, b, '3'))).toBe('chain_limit');
    expect(await talk.hear(b)).toMatchObject({
      action: 'ended',
      reason: 'chain_limit',
      messages: ['1', '2'],
    });
    expect(await refusal(world.talks.start(a.caller, { targetAgentId: b.agentId }))).toBe('chain_limit');
    await talk.set({ projectAgentMessagesPerHour: 0 });
    expect(await refusal(world.talks.start(a.caller, { targetAgentId: b.agentId }))).toBe('no refusal');
    await talk.set({ projectAgentMessagesPerHour: null });
  });
});

describe('what a person says to the card', () => {
  it('"go on" reaches both whom the chain stopped: who is there hears it, who sleeps is woken, and the chain goes on', async () => {
    await talk.set({ chainMaxMessages: 2 });
    const { a, b, id } = await talk.talking();
    const { chainId } = await talk.view(id);
    await talk.say(a, b, '1');
    await talk.say(a, b, '2');
    expect(await refusal(talk.say(a, b, '3'))).toBe('chain_limit');
    expect(await talk.hear(a)).toMatchObject({ action: 'ended', reason: 'chain_limit' });
    expect(await talk.hear(b)).toMatchObject({ action: 'ended', reason: 'chain_limit' });
    await world.sessions.logout(b.caller);
    await world.sweeper.runOnce();
    expect(await rowOf(world, b), 'nobody is woken by the question').toBeUndefined();

    const { questions } = await world.questions.list(world.owner, a.projectId, { limit: 9 });
    expect(questions, 'people see one card').toHaveLength(1);
    const text = questions[0]?.questions[0]?.question ?? '';
    await world.questions.answer(world.owner, questions[0]?.toolUseId ?? '', { '0': '0' });
    await world.sweeper.runOnce();
    const said = { status: 'answered', answers: { [text]: '続けてよい' } };
    expect(await hearAnswer(a)).toMatchObject(said);
    expect(await talk.next(a)).toEqual({ kind: 'wait' });
    const woken = { ...b, ...(await talk.signIn(b)) };
    expect(await hearAnswer(woken)).toMatchObject(said);
    await world.sweeper.runOnce();
    expect(await talk.next(a), 'once').toEqual({ kind: 'wait' });

    const again = await world.talks.start(woken.caller, { targetAgentId: a.agentId, initialMessage: '3' });
    expect(again.conversation).toMatchObject({ chainId, chainMessageCount: 3, chainMaxMessages: 4 });
    await talk.set({ chainMaxMessages: null });
  });

  it('"stop here" wakes nobody', async () => {
    await talk.set({ chainMaxMessages: 1 });
    const { a, b } = await talk.talking();
    await talk.say(a, b, '1');
    expect(await refusal(talk.say(b, a, '2'))).toBe('chain_limit');
    await talk.hear(a);
    await talk.hear(b);
    await world.sessions.logout(b.caller);
    const { questions } = await world.questions.list(world.owner, a.projectId, { limit: 9 });
    await world.questions.answer(world.owner, questions[0]?.toolUseId ?? '', { '0': '1' });
    await world.sweeper.runOnce();
    expect(await hearAnswer(a)).toMatchObject({ status: 'answered' });
    expect(await rowOf(world, b)).toBeUndefined();
    expect(await refusal(world.talks.start(a.caller, { targetAgentId: b.agentId }))).toBe('chain_limit');
    await world.chat.start(world.owner, b);
    expect(await talk.next(await talk.signIn(b)), 'nor is it told some day later').toEqual({ kind: 'wait' });
    await talk.set({ chainMaxMessages: null });
  });
});
