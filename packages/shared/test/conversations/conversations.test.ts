import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { checkInvariants } from '../../src/testing/invariants.ts';
import type { ServiceWorld, WorldAgent } from '../../src/testing/service-world.ts';
import { refusal, type Talker, TalkWorld } from './conversation-support.ts';

/** UC016: agents talk to each other. */
let talk: TalkWorld;
let world: ServiceWorld;
beforeAll(async () => {
  talk = await TalkWorld.create();
  world = talk.services;
});
afterAll(() => world.close());

const stateOf = async (id: string) => (await talk.view(id)).state;
const invariants = () => checkInvariants(world.database);

async function transcript(agent: WorldAgent): Promise<Record<string, unknown>[]> {
  const project = await world.projects.get(world.owner, agent.projectId);
  const file = `${project.workingDirectory}/.ai-pm/agents/${agent.agentId}/chat.jsonl`;
  const text = await readFile(file, 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe('scenario 1: five rounds', () => {
  it('goes from pending to ended, every message once in both files, each side told', async () => {
    const { a, b: sleeping } = await talk.workers();
    const { conversation } = await world.talks.start(a.caller, {
      targetAgentId: sleeping.agentId,
      purpose: 'しりとり',
    });
    const { id } = conversation;
    expect(conversation).toMatchObject({ state: 'pending', messageCount: 0, maxMessages: 20, chainId: id });
    const purposes = await world.presence.pendingPurposes(world.owner, a.projectId);
    expect(purposes).toMatchObject([{ agentId: sleeping.agentId, purpose: 'chat', conversationId: id }]);

    await talk.say(a, sleeping, 'しりとりをしましょう。りんご');
    const b = await talk.signIn(sleeping);
    expect(await stateOf(id)).toBe('active');
    expect(await talk.hear(b)).toMatchObject({
      action: 'request',
      conversationId: id,
      partnerId: a.agentId,
      purpose: 'しりとり',
      resumed: false,
      repeat: false,
    });
    const words = [
      'ごりら',
      'らっぱ',
      'ぱんだ',
      'だちょう',
      'うさぎ',
      'ぎんこう',
      'うま',
      'まくら',
      'らいおん',
    ];
    for (const [index, word] of words.entries()) {
      const [speaker, other] = index % 2 === 0 ? [b, a] : [a, b];
      expect(await talk.next(speaker)).toEqual({ kind: 'get_pending_messages', again: false });
      const { source } = await talk.read(speaker);
      expect(source).toEqual({ kind: 'conversation', conversationId: id, agentId: other.agentId });
      await world.delivery.respond(speaker.caller, { content: word });
    }
    expect(await talk.read(a)).toMatchObject({ words: ['らいおん'] });
    const ended = await world.talks.end(a.caller, { finalMessage: '5ターン完了。会話を終了します' });
    expect(ended).toMatchObject({
      state: 'terminating',
      endedBy: a.agentId,
      endReason: 'initiator_ended',
      messageCount: 10,
      finalMessage: '5ターン完了。会話を終了します',
    });
    // Trap 2: who ended it does not close it by asking what is next.
    expect(await talk.next(a)).toEqual({ kind: 'wait' });
    expect(await stateOf(id)).toBe('terminating');
    expect(await talk.hear(b)).toMatchObject({
      action: 'ended',
      endedBy: a.agentId,
      messages: [],
      repeat: false,
    });
    expect(await stateOf(id)).toBe('ended');
    expect(await talk.next(b)).toEqual({ kind: 'wait' });

    for (const agent of [a, b]) {
      const lines = (await transcript(agent)).filter((line) => line.conversationId !== undefined);
      expect(lines.map((line) => line.content)).toEqual(['しりとりをしましょう。りんご', ...words]);
      expect(new Set(lines.map((line) => line.conversationId))).toEqual(new Set([id]));
      for (const line of lines)
        expect('receiverId' in line, 'only in the sender’s file').toBe(line.senderId === agent.agentId);
    }
    expect(await invariants()).toEqual([]);
  });
});

describe('scenario 2: the participant ends it', () => {
  it('gives the last word, not yet read, with the end', async () => {
    const { a, b, id } = await talk.talking();
    await talk.say(a, b, 'りんご');
    await talk.read(b);
    await world.delivery.respond(b.caller, { content: 'うどん' });
    await world.talks.end(b.caller, {});
    expect(await talk.hear(a)).toMatchObject({
      action: 'ended',
      conversationId: id,
      endedBy: b.agentId,
      reason: 'participant_ended',
      messages: ['うどん'],
    });
    expect(await stateOf(id)).toBe('ended');
    expect(await talk.read(a), 'nothing of an ended conversation is offered').toEqual({
      source: null,
      words: [],
    });
    expect(await invariants()).toEqual([]);
  });
});

describe('scenario 3: nobody says anything for too long', () => {
  it('ends by the next question of either side, without the sweeper; both are told', async () => {
    const { a, b, id } = await talk.talking();
    await talk.say(a, b, 'りんご');
    await talk.read(b);
    await world.delivery.respond(b.caller, { content: 'ごりら' });
    await talk.read(a);
    await world.delivery.respond(a.caller, {});
    world.clock.advance(600_000);
    expect(await world.sessions.withNews([a.caller.sessionId]), 'a held call looks again').toHaveLength(1);
    expect(await talk.hear(a)).toMatchObject({ action: 'ended', reason: 'timeout', endedBy: null });
    expect(await stateOf(id)).toBe('terminating');
    expect(await talk.hear(b)).toMatchObject({ action: 'ended', reason: 'timeout', endedBy: null });
    expect(await stateOf(id)).toBe('ended');
    expect(await invariants()).toEqual([]);
  });
});

describe('the silence of a conversation', () => {
  it('is counted from the time of its last message, which is later than the begin of the transaction', async () => {
    // A world of its own: its clock is the true one.
    const fresh = await TalkWorld.create();
    onTestFinished(() => fresh.services.close());
    const { a, b, id } = await fresh.talking();
    for (const word of ['りんご', 'ごりら']) await fresh.say(a, b, word);
    const row = await fresh.services.database.db
      .selectFrom('conversations')
      .select(({ selectFrom }) => [
        'lastActivityAt',
        selectFrom('chatMessages')
          .whereRef('chatMessages.conversationId', '=', 'conversations.id')
          .select(({ fn }) => fn.max('createdAt').as('at'))
          .as('lastMessageAt'),
      ])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(row.lastActivityAt).toEqual(row.lastMessageAt);
  });
});

describe('A1: the participant runs already', () => {
  it('takes the wake-up at its next action: no second process, no row left', async () => {
    const { a, b: sleeping } = await talk.workers();
    const b = await talk.warm(sleeping);
    const { conversation } = await world.talks.start(a.caller, {
      targetAgentId: b.agentId,
      initialMessage: 'こんにちは',
    });
    const rows = () => world.presence.pendingPurposes(world.owner, a.projectId);
    expect(await rows()).toHaveLength(1);
    const action = await world.coordination.getAgentAction({ ...sleeping, coordinatorId: 'host-a' });
    expect(action).toEqual({ action: 'hold', reason: 'already_running' });
    expect(await talk.hear(b)).toMatchObject({ action: 'request', conversationId: conversation.id });
    expect(await rows()).toEqual([]);
    const recent = await world.presence.pendingPurposes(world.owner, a.projectId, 60);
    expect(recent.map(({ outcome }) => outcome)).toContain('taken_by_session');
    expect(await talk.read(b)).toMatchObject({ words: ['こんにちは'] });
    expect(await invariants()).toEqual([]);
  });
});

describe('E1: the participant never comes', () => {
  it('expires, tells the initiator what was not delivered, and takes its wake-up along', async () => {
    const { a, b } = await talk.workers();
    const { conversation, message } = await world.talks.start(a.caller, {
      targetAgentId: b.agentId,
      initialMessage: 'いますか',
    });
    world.clock.advance(300_000);
    expect(await talk.hear(a)).toMatchObject({
      action: 'expired',
      conversationId: conversation.id,
      partnerId: b.agentId,
      messages: ['いますか'],
    });
    expect(await world.conversations.get(world.owner, conversation.id)).toMatchObject({
      state: 'expired',
      endReason: 'not_started',
    });
    const stored = (await world.history.byIds([message?.id ?? ''])).get(message?.id ?? '');
    expect(stored).toMatchObject({ state: 'failed', failure: { code: 'conversation_expired' } });
    expect(await world.presence.pendingPurposes(world.owner, a.projectId)).toEqual([]);
    expect(await talk.next(a)).toEqual({ kind: 'wait' });
    expect(await invariants()).toEqual([]);
  });
});

describe('refusals, in the order of the contract', () => {
  it.each([
    ['itself', (a: Talker) => a.agentId, 'cannot_conversation_with_self'],
    ['nobody', () => 'agt_nobody', 'agent_not_found'],
    ['a person', () => 'owner', 'cannot_start_conversation_with_human'],
    ['the person of the chat', () => 'user', 'cannot_start_conversation_with_human'],
  ])('start with %s', async (_, target, code) => {
    const { a } = await talk.workers();
    expect(await refusal(world.talks.start(a.caller, { targetAgentId: target(a) }))).toBe(code);
  });

  it('start with an agent of another project', async () => {
    const { a } = await talk.workers();
    const elsewhere = await world.agentInProject();
    expect(await refusal(world.talks.start(a.caller, { targetAgentId: elsewhere.agentId }))).toBe(
      'target_agent_not_in_project',
    );
  });

  // The index refuses too, but cannot name the conversation, and knows nothing of time: only the look-up does.
  it.each(['from the side that began it', 'trap 3: from the other side'])(
    'E2, %s: a second conversation of the membership is refused by the first',
    async (which) => {
      const { a, b, id } = await talk.talking();
      const [one, other] = which.startsWith('trap') ? [b, a] : [a, b];
      await expect(world.talks.start(one.caller, { targetAgentId: other.agentId })).rejects.toMatchObject({
        code: 'conversation_already_active',
        details: { conversation_id: id },
      });
    },
  );

  it('trap 3: one that has been silent for too long is in nobody’s way, whoever began it', async () => {
    const { a, b, id } = await talk.talking();
    world.clock.advance(600_000);
    expect(await refusal(world.talks.start(b.caller, { targetAgentId: a.agentId }))).toBe('no refusal');
    expect(await talk.view(id)).toMatchObject({ state: 'terminating', endReason: 'timeout' });
  });

  it('trap 3: both start at once: one conversation', async () => {
    const { a, b: sleeping } = await talk.workers();
    const b = await talk.warm(sleeping);
    const results = await Promise.all([
      refusal(world.talks.start(a.caller, { targetAgentId: b.agentId })),
      refusal(world.talks.start(b.caller, { targetAgentId: a.agentId })),
    ]);
    expect(results.sort()).toEqual(['conversation_already_active', 'no refusal']);
    expect(await invariants()).toEqual([]);
  });

  it('E4: a message without a conversation, in the words of the seed', async () => {
    const { a, b } = await talk.workers();
    await expect(talk.say(a, b, '質問があります')).rejects.toMatchObject({
      code: 'conversation_required_for_ai_to_ai',
      message: `AIエージェント間のメッセージ送信にはアクティブな会話が必要です。先にstart_conversation(participant_agent_id: "${b.agentId}", initial_message: "...")を呼び出してください。`,
    });
  });

  it('somebody else’s conversation, one that is not there, none, several', async () => {
    const { a, b, id } = await talk.talking();
    const third = await world.colleague(a);
    const c = await talk.warm(third);
    const other = await talk.talking();
    expect(await refusal(world.talks.end(c.caller, { conversationId: id }))).toBe(
      'not_conversation_participant',
    );
    expect(await refusal(world.talks.end(c.caller, { conversationId: other.id }))).toBe(
      'conversation_not_found',
    );
    expect(await refusal(world.talks.end(c.caller, {}))).toBe('no_active_conversation');
    await world.talks.start(a.caller, { targetAgentId: c.agentId });
    expect(await refusal(world.talks.end(a.caller, {}))).toBe('conversation_id_required');
    expect(await world.talks.end(a.caller, { targetAgentId: b.agentId })).toMatchObject({ id });
  });
});
