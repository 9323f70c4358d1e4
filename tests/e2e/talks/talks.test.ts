import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { judge } from '../../../packages/agent-runner/src/drivers/builtin/shiritori/rules.ts';
import { until } from '../start/product-process.ts';
import { type ScriptedAgent, TalksWorld } from './talks-world.ts';

const PROJECT = 'prj_uc016';
const A = 'agt_uc016_worker_a';
const B = 'agt_uc016_worker_b';
const OPENING = 'しりとりをしましょう。';

let world: TalksWorld;
beforeAll(async () => {
  world = await TalksWorld.start();
  await world.makeProject(PROJECT, { [A]: 'Worker A', [B]: 'Worker B' });
});
afterAll(async () => {
  await world.stop();
});

/** Checks that every word follows the rules; `last` is the outcome of the last one. */
function expectShiritori(contents: readonly string[], last: 'good' | 'loses'): void {
  const words = contents.map((content) => content.replace(OPENING, ''));
  const verdicts = words.map((word, index) => judge(word, words.slice(0, index)));
  expect(verdicts).toEqual([...Array(words.length - 1).fill('good'), last]);
}

/** Checks that each message is once in the transcripts of both agents, in order, with the id of the conversation. */
async function expectInBothFiles(conversationId: string, contents: readonly string[]): Promise<void> {
  for (const agentId of [A, B]) {
    await until(
      async () => (await world.transcript(PROJECT, agentId, conversationId)).length >= contents.length,
    );
    const lines = await world.transcript(PROJECT, agentId, conversationId);
    expect(lines.map((line) => line.content)).toEqual(contents);
    // In the transcript of the receiver, a line does not name the receiver.
    for (const line of lines) {
      expect(line.receiverId).toBe(line.senderId === agentId ? (agentId === A ? B : A) : undefined);
    }
  }
}

async function endChats(): Promise<void> {
  for (const agentId of [A, B]) await world.endChat(PROJECT, agentId);
  await until(async () => {
    const live = await Promise.all([A, B].map((agentId) => world.liveSessions(PROJECT, agentId)));
    return live.every((count) => count === 0);
  });
}

describe('scenario 1: a person asks one built-in agent to play with another', () => {
  it('five rounds, ten messages, ended by the initiator; the person is told the result', async () => {
    await world.write(PROJECT, A, 'Worker Bとしりとりを5往復してください');
    await until(async () =>
      (await world.chat(PROJECT, A)).some((content) => content.includes('終わりました')),
    );

    const [conversation] = await world.conversations(PROJECT);
    expect(conversation).toMatchObject({
      initiatorAgentId: A,
      participantAgentId: B,
      purpose: 'しりとり（5往復）',
      messageCount: 10,
      endedBy: A,
      endReason: 'initiator_ended',
      finalMessage: expect.stringContaining('5往復'),
    });
    const id = conversation?.id ?? '';
    // Both agents were told: B's get_next_action returned conversation_ended.
    await until(async () => (await world.conversation(id)).state === 'ended');

    const messages = await world.messagesOf(id);
    const contents = messages.map((message) => message.content);
    expect(contents).toHaveLength(10);
    expect(contents[0]).toBe(`${OPENING}りんご`);
    expectShiritori(contents, 'good');
    expect(new Set(messages.map((message) => message.conversationId))).toEqual(new Set([id]));
    expect(messages.map((message) => message.senderId)).toEqual(Array(5).fill([A, B]).flat());
    await expectInBothFiles(id, contents);

    // There was a wake-up for B, and B's process took it.
    const purposes = await world.purposes(PROJECT);
    expect(purposes).toContainEqual(
      expect.objectContaining({ agentId: B, conversationId: id, outcome: 'authenticated' }),
    );
    const chat = await world.chat(PROJECT, A);
    expect(chat.at(-1)).toContain(contents.map((content) => content.replace(OPENING, '')).join(' → '));
    expect(await world.brokenInvariants()).toEqual([]);
  });
});

describe('a card of the built-in agent', () => {
  it('shows the options that the person named, waits, and uses the answer', async () => {
    await world.write(PROJECT, A, '紅茶とコーヒーのどちらがいいか私に質問して');
    await until(async () => (await world.openQuestions(PROJECT)).length > 0);
    const [card] = await world.openQuestions(PROJECT);
    expect(card?.questions.map(({ options }) => options.map(({ label }) => label))).toEqual([
      ['紅茶', 'コーヒー'],
    ]);
    // Meanwhile the agent answers other messages.
    await world.write(PROJECT, A, 'タスクの進捗を教えてください');
    await until(async () => (await world.chat(PROJECT, A)).some((content) => content.includes('ボード')));
    await world.answer(card?.toolUseId ?? '', { 0: '1' });
    await until(async () => (await world.chat(PROJECT, A)).at(-1)?.includes('「コーヒー」') === true);
    expect((await world.chatMessages(PROJECT, A)).map(({ state }) => state)).not.toContain('delivered');
  });
});

describe('agents that are other programs', () => {
  let a: ScriptedAgent;
  let b: ScriptedAgent;
  beforeAll(async () => {
    await endChats();
    a = await world.signIn(PROJECT, A);
    b = await world.signIn(PROJECT, B);
  });

  it('without a conversation there is no message between agents, and the error explains what to do', async () => {
    const sent = a.tools.call('send_message', { to: B, content: '質問があります' });
    await expect(sent).rejects.toMatchObject({
      code: 'conversation_required_for_ai_to_ai',
      message: expect.stringContaining(`start_conversation(participant_agent_id: "${B}"`),
    });
  });

  it('scenario 2: after six messages the participant says a word that ends in ん and ends the conversation', async () => {
    const started = await a.tools.call('start_conversation', { target_agent_id: B, purpose: 'しりとり' });
    expect(started.status).toBe('pending');
    const id = started.conversation_id;
    expect((await world.conversation(id)).state).toBe('pending');
    expect(await world.purposes(PROJECT)).toContainEqual(
      expect.objectContaining({ agentId: B, conversationId: id }),
    );
    expect(await b.next()).toMatchObject({
      action: 'conversation_request',
      conversation_id: id,
      from_agent_id: A,
      from_agent_name: 'Worker A',
      purpose: 'しりとり',
    });
    expect((await world.conversation(id)).state).toBe('active');
    // A1: no second process is started, and no stale row is left.
    const row = (await world.purposes(PROJECT)).find(({ conversationId }) => conversationId === id);
    expect(row?.outcome).toBe('taken_by_session');

    const words = [`${OPENING}りんご`, 'ごりら', 'らっぱ', 'ぱんだ', 'だちょう', 'うどん'];
    await a.tools.call('send_message', { to: B, content: words[0] ?? '' });
    for (const [index, word] of words.entries()) {
      const listener = index % 2 === 0 ? b : a;
      expect(await listener.next()).toMatchObject({ action: 'get_pending_messages' });
      expect(await listener.read()).toEqual([word]);
      const answer = words[index + 1];
      if (answer !== undefined) await listener.say(answer);
    }
    const ended = await b.tools.call('end_conversation', {});
    expect(ended).toMatchObject({ conversation_id: id, state: 'terminating', ended_by: B });
    expect(await a.next()).toMatchObject({
      action: 'conversation_ended',
      conversation_id: id,
      ended_by: B,
      reason: 'participant_ended',
    });
    expect(await a.next(0)).toMatchObject({ action: 'wait_for_messages' });
    expect((await world.conversation(id)).state).toBe('ended');
    expectShiritori(words, 'loses');
    await expectInBothFiles(id, words);
  });

  it('scenario 3: it ends after five seconds of silence; then both are told', async () => {
    const { conversation_id: id } = await a.tools.call('start_conversation', {
      participant_agent_id: B,
      purpose: 'しりとり',
      initial_message: `${OPENING}りんご`,
    });
    expect(await b.next()).toMatchObject({ action: 'conversation_request', conversation_id: id });
    expect(await b.read()).toEqual([`${OPENING}りんご`]);
    await b.say('ごりら');
    expect(await a.read()).toEqual(['ごりら']);
    // From now on: a busy machine would be silent between these calls.
    await world.set({ conversationTimeoutSeconds: 5 });
    await until(async () => (await world.conversation(id)).state !== 'active');
    const { endedAt } = await world.conversation(id);
    const lastAt = (await world.messagesOf(id)).at(-1)?.createdAt;
    expect(Date.parse(endedAt ?? '') - Date.parse(lastAt ?? '')).toBeGreaterThanOrEqual(5_000);
    const over = { action: 'conversation_ended', conversation_id: id, reason: 'timeout', ended_by: null };
    expect(await a.next(0)).toMatchObject(over);
    expect(await b.next(0)).toMatchObject(over);
    for (const agent of [a, b]) expect(await agent.next(0)).toMatchObject({ action: 'wait_for_messages' });
    expect(await world.conversation(id)).toMatchObject({
      state: 'ended',
      endReason: 'timeout',
      endedBy: null,
    });
    await expectInBothFiles(id, [`${OPENING}りんご`, 'ごりら']);
    await world.set({ conversationTimeoutSeconds: null });
    expect(await world.brokenInvariants()).toEqual([]);
  });
});

/** Answers every message, and then begins a new conversation with the next agent whenever the limits allow it. */
class Chatterbox {
  readonly #agent: ScriptedAgent;
  readonly #next: string;
  readonly refusals: string[] = [];
  #said = 0;
  #spokenTo = false;

  constructor(agent: ScriptedAgent, next: string) {
    this.#agent = agent;
    this.#next = next;
  }

  /** Returns false if there is nothing to do and no conversation may be begun. */
  async step(): Promise<boolean> {
    const { action } = await this.#agent.next(0);
    if (action === 'get_pending_messages') {
      this.#spokenTo = true;
      await this.#agent.read();
      await this.#try(() => this.#agent.say(`and so on ${this.#said}`));
      return true;
    }
    if (action !== 'wait_for_messages') return true;
    return this.#spokenTo && this.begin();
  }

  begin(): Promise<boolean> {
    return this.#try(() =>
      this.#agent.tools.call('start_conversation', {
        target_agent_id: this.#next,
        initial_message: `have you heard? ${this.#said}`,
      }),
    );
  }

  async #try(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      this.#said += 1;
      return true;
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
      this.refusals.push(code);
      return false;
    }
  }
}

describe('three agents that talk in circles', () => {
  const CIRCLE = 'prj_uc016_circle';
  const IDS = ['agt_circle_one', 'agt_circle_two', 'agt_circle_three'];
  const LIMIT = 12;

  it('are stopped at the limit of their chain, within conversations and by new ones', async () => {
    await world.set({ chainMaxMessages: LIMIT });
    await world.makeProject(CIRCLE, Object.fromEntries(IDS.map((id) => [id, id])));
    const agents = await Promise.all(IDS.map((id) => world.signIn(CIRCLE, id)));
    const talkers = agents.map((agent, index) => new Chatterbox(agent, IDS[(index + 1) % 3] ?? ''));
    expect(await talkers[0]?.begin()).toBe(true);
    const isStill = async () => {
      const moved = [];
      for (const talker of talkers) moved.push(await talker.step());
      return moved.every((one) => !one);
    };
    for (let round = 0; !(await isStill()); round += 1) expect(round).toBeLessThan(200);

    const conversations = await world.conversations(CIRCLE);
    const chains = new Set(conversations.map(({ chainId }) => chainId));
    for (const chain of chains) {
      const said = conversations
        .filter(({ chainId }) => chainId === chain)
        .reduce((sum, { messageCount }) => sum + messageCount, 0);
      expect(said).toBeLessThanOrEqual(LIMIT);
    }
    expect(chains.size).toBe(1);
    expect(talkers.flatMap(({ refusals }) => refusals)).toContain('chain_limit');
    expect(conversations.map(({ endReason }) => endReason)).toContain('chain_limit');
    await world.set({ chainMaxMessages: null });
    expect(await world.brokenInvariants()).toEqual([]);
  });
});
