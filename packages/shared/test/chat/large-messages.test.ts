import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Message } from '../../src/contract/chat.ts';
import type { AgentCaller } from '../../src/core/access/agent-caller.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';
import { type Talker, TalkWorld } from '../conversations/conversation-support.ts';
import { expectInvariants } from './chat-support.ts';

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

/** As much as an agent may say at once: 100,000 characters, 400,000 bytes. */
const large = (name: string) => `${name}${'𠮷'.repeat(100_000 - name.length)}`;
const nameOf = ({ content }: Message) => content.slice(0, 2);
const bytesOf = (messages: readonly Message[]) =>
  messages.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
const PAGE_BYTES = 1_048_576;
const NAMES = ['m1', 'm2', 'm3', 'm4', 'm5', 'm6'];

/** A has said six large things, and B has heard none of them. */
async function flooded() {
  const { a, b, id } = await talks.talking();
  for (const name of NAMES) await talks.say(a, b, large(name));
  return { a, b, id };
}

describe('deliveries', () => {
  test('come a MiB at a time, in order; what is unanswered comes again, batch by batch', async () => {
    const { b } = await flooded();
    const take = async () => {
      const given = await world.delivery.take(b.caller);
      expect(bytesOf(given.pendingMessages)).toBeLessThanOrEqual(PAGE_BYTES);
      const isRepeat = given.pendingMessages.some(({ repeat }) => repeat);
      return { batchId: given.batchId ?? undefined, names: given.pendingMessages.map(nameOf), isRepeat };
    };
    const first = [await take(), await take(), await take()];
    expect(first.map(({ names }) => names)).toEqual([
      ['m1', 'm2'],
      ['m3', 'm4'],
      ['m5', 'm6'],
    ]);
    expect(first.some(({ isRepeat }) => isRepeat)).toBe(false);
    const again = [await take(), await take(), await take(), await take()];
    expect(again).toEqual(
      [first[0], first[1], first[2], first[0]].map((given) => ({ ...given, isRepeat: true })),
    );
    // An answer names one batch and answers that; the others are offered still.
    expect((await world.delivery.respond(b.caller, { batchId: first[1]?.batchId })).answered).toBe(2);
    expect(await talks.next(b)).toMatchObject({ kind: 'get_pending_messages' });
    expect([await take(), await take()].map(({ names }) => names)).toEqual([
      first[2]?.names,
      first[0]?.names,
    ]);
    for (const given of [first[0], first[2]])
      expect((await world.delivery.respond(b.caller, { batchId: given?.batchId })).answered).toBe(2);
    expect((await world.delivery.take(b.caller)).source).toBeNull();
  });

  test('what is held and fits comes with what is new, in one batch', async () => {
    const { a, b } = await talks.talking();
    await talks.say(a, b, large('m1'));
    await world.delivery.take(b.caller);
    await talks.say(a, b, large('m2'));
    const { pendingMessages } = await world.delivery.take(b.caller);
    expect(pendingMessages.map((message) => [nameOf(message), message.repeat ?? false])).toEqual([
      ['m1', true],
      ['m2', false],
    ]);
  });

  test('the messages before are bounded too, and it is said that there are more', async () => {
    const { a, b } = await flooded();
    for (let left = NAMES.length; left > 0; ) {
      const { batchId } = await world.delivery.take(b.caller);
      left -= (await world.delivery.respond(b.caller, { batchId: batchId ?? '' })).answered;
    }
    await talks.say(a, b, 'm7');
    const { contextMessages, contextTruncated, totalHistoryCount } = await world.delivery.take(b.caller);
    expect(contextMessages.map(nameOf)).toEqual(['m6']);
    expect(contextTruncated).toBe(true);
    expect(totalHistoryCount).toBe(7);
  });
});

describe('pages', () => {
  test('hold a MiB and say whether there is more, forward and backward', async () => {
    const { a, id } = await flooded();
    const membership = { projectId: a.projectId, agentId: a.agentId };
    const readers = [
      (page: object) => world.conversations.messages(world.owner, id, { limit: 200, ...page }),
      (page: object) => world.talks.messages(a.caller, { conversationId: id, limit: 200, ...page }),
      (page: object) =>
        world.history.list(world.owner, { ...membership, limit: 200, includeConversations: true, ...page }),
    ];
    for (const read of readers) {
      const back: Message[][] = [];
      for (let before: string | undefined, hasMore = true; hasMore; before = back[0]?.[0]?.id) {
        const page = await read({ ...(before !== undefined && { before }) });
        expect(bytesOf(page.messages)).toBeLessThanOrEqual(PAGE_BYTES);
        back.unshift(page.messages);
        hasMore = page.hasMore;
      }
      expect(back.flat().map(nameOf)).toEqual(NAMES);
      const forth: Message[] = back.flat().slice(0, 1);
      for (let hasMore = true; hasMore; ) {
        const page = await read({ after: forth.at(-1)?.id });
        expect(page.messages.length).toBeGreaterThan(0);
        expect(bytesOf(page.messages)).toBeLessThanOrEqual(PAGE_BYTES);
        forth.push(...page.messages);
        hasMore = page.hasMore;
      }
      expect(forth.map(nameOf)).toEqual(NAMES);
    }
  });

  test('of conversations are bounded by their closing lines', async () => {
    const { a, b } = await talks.workers();
    const ended: string[] = [];
    for (let count = 0; count < 4; count += 1) {
      const { conversation } = await world.talks.start(a.caller, { targetAgentId: b.agentId });
      await world.talks.end(a.caller, { conversationId: conversation.id, finalMessage: large(`f${count}`) });
      ended.unshift(conversation.id);
      await talks.hear(a);
    }
    const seen: string[][] = [];
    for (let cursor: string | undefined, isMore = true; isMore; ) {
      const page = await world.conversations.list(world.owner, a.projectId, { limit: 200, cursor });
      seen.push(page.conversations.map(({ id }) => id));
      cursor = page.nextCursor ?? undefined;
      isMore = cursor !== undefined;
    }
    expect(seen.flat()).toEqual(ended);
    expect(seen.map(({ length }) => length)).toEqual([2, 2]);
  });
});

describe('what an agent may write in an hour', () => {
  const QUOTA = 1_000_000;
  const limitTo = async (bytes: number | null) => {
    await world.database.pool.query('update app_settings set agent_bytes_per_hour = $1', [bytes]);
    world.clock.advance(5_000);
  };
  const stored = async (agentId: string) =>
    (
      await world.database.pool.query(
        `select count(*)::int as count from chat_messages where sender_id = $1`,
        [agentId],
      )
    ).rows[0].count;
  const refused = { code: 'quota_reached', message: expect.stringContaining('agentBytesPerHour') };
  const movedTo = (hour: string, { projectId, agentId }: Talker) =>
    world.database.pool.query(`update chat_threads set said_hour = $2::timestamptz where id = $1`, [
      `${projectId}/${agentId}`,
      hour,
    ]);
  const asked = async (talker: Talker) => {
    await world.chat.post(world.owner, { ...talker, content: 'Say much.' });
    return (await world.delivery.take(talker.caller)).batchId ?? '';
  };
  const answer = (caller: AgentCaller, batchId: string, content: string) =>
    world.delivery.respond(caller, { batchId, content });

  test('bounds answers: what a person waits for fails with the reason, and Retry gives it again', async () => {
    const { a } = await talks.workers();
    await limitTo(QUOTA);
    // No hour ends while the test runs.
    await movedTo('infinity', a);
    const given = [await asked(a)];
    expect((await answer(a.caller, given[0] ?? '', large('a1'))).answered).toBe(1);
    given.push(await asked(a));
    expect((await answer(a.caller, given[1] ?? '', large('a2'))).answered).toBe(1);
    const last = await asked(a);
    const error = await answer(a.caller, last, large('a3')).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject(refused);
    expect(error).toHaveProperty('retryAfterSeconds', expect.any(Number));
    expect(await stored(a.agentId)).toBe(2);
    // The person sees why, and since when it can go on; the agent has nothing of it any more.
    const resumesAt = expect.stringMatching(/:00:00\.000Z$/);
    expect(error).toMatchObject({ details: { resumesAt, failedMessages: 1 } });
    const [held] = (await world.history.list(world.owner, { ...a, limit: 1 })).messages;
    expect(held).toMatchObject({
      state: 'failed',
      failure: { code: 'quota_reached', params: { resumesAt } },
    });
    expect((await world.delivery.take(a.caller)).source).toBeNull();
    // The response to the second was lost: said again, it is answered as before.
    expect(await answer(a.caller, given[1] ?? '', large('a2'))).toMatchObject({ answered: 1 });
    expect(await stored(a.agentId)).toBe(2);
    // Other ways to write are bounded by the same, and what is short fits.
    await expect(
      world.delivery.send(a.caller, { targetAgentId: 'user', content: large('a4') }),
    ).rejects.toMatchObject(refused);
    await expect(
      world.delivery.send(a.caller, { targetAgentId: 'user', content: 'short' }),
    ).resolves.toBeDefined();
    await movedTo(new Date(Date.now() - 3_600_000).toISOString(), a);
    await world.chat.retry(world.owner, { ...a, messageId: held?.id ?? '' });
    const again = await world.delivery.take(a.caller);
    expect(again.pendingMessages.map(({ id }) => id)).toEqual([held?.id]);
    expect((await answer(a.caller, again.batchId ?? '', large('a3'))).answered).toBe(1);
    expect(await stored(a.agentId)).toBe(4);
  });

  test('of the batch that is named only; one given later, and a message that waits, are kept', async () => {
    const { a } = await talks.workers();
    await limitTo(1);
    const first = await asked(a);
    await world.chat.post(world.owner, { ...a, content: 'And this.' });
    const { batchId: later } = await world.delivery.take(a.caller);
    await world.chat.post(world.owner, { ...a, content: 'Not fetched.' });
    const states = async () =>
      (await world.history.list(world.owner, { ...a, limit: 10 })).messages
        .filter(({ sender }) => sender === 'user')
        .map(({ state }) => state)
        .slice(-3);
    await expect(answer(a.caller, first, 'word')).rejects.toMatchObject(refused);
    expect(await states()).toEqual(['failed', 'delivered', 'stored']);
    // Without a batch the one that was given last is meant.
    await expect(
      world.delivery.send(a.caller, { targetAgentId: 'user', content: 'word' }),
    ).rejects.toMatchObject({ ...refused, details: { failedMessages: 1 } });
    expect(later).not.toBe(first);
    expect(await states()).toEqual(['failed', 'failed', 'stored']);
    await expect(
      world.delivery.send(a.caller, { targetAgentId: 'user', content: 'word' }),
    ).rejects.toMatchObject({ ...refused, details: { failedMessages: 0 } });
    expect(await states()).toEqual(['failed', 'failed', 'stored']);
  });

  test('a word to a partner beyond it fails nothing that a person has written', async () => {
    await limitTo(null);
    const { a, b } = await talks.talking();
    const batchId = await asked(a);
    await talks.say(b, a, 'your turn');
    const talk = await world.delivery.take(a.caller);
    expect(talk.source?.kind).toBe('conversation');
    await limitTo(1);
    await expect(world.delivery.respond(a.caller, { content: 'word' })).rejects.toMatchObject(refused);
    await expect(answer(a.caller, talk.batchId ?? '', 'word')).rejects.toMatchObject(refused);
    expect((await world.delivery.respond(a.caller, { batchId })).answered).toBe(1);
  });

  test('a close that waited for the answer takes effect when the message has failed', async () => {
    const { a } = await talks.workers();
    await limitTo(1);
    const batchId = await asked(a);
    await world.chat.end(world.owner, { ...a, viewerId: 'viewer-1' });
    expect(await talks.next(a)).not.toMatchObject({ kind: 'exit' });
    await expect(answer(a.caller, batchId, 'word')).rejects.toMatchObject(refused);
    expect(await talks.next(a)).toMatchObject({ kind: 'exit', reason: 'user_closed_chat' });
  });

  test('a batch can be laid down without words, whatever was written', async () => {
    const { a } = await talks.workers();
    await limitTo(1);
    const batchId = await asked(a);
    expect((await world.delivery.respond(a.caller, { batchId })).answered).toBe(1);
  });

  test('bounds words to a partner and closing lines; the partner has a quota of its own', async () => {
    await limitTo(null);
    const { a, b, id } = await talks.talking();
    await limitTo(QUOTA);
    await movedTo('infinity', a);
    await talks.say(a, b, large('c1'));
    await talks.say(a, b, large('c2'));
    await expect(talks.say(a, b, large('c3'))).rejects.toMatchObject(refused);
    expect((await world.conversations.get(world.owner, id)).messageCount).toBe(2);
    await talks.say(b, a, large('c4'));
    // It ends all the same, and is counted for no line.
    const ended = await world.talks.end(a.caller, { conversationId: id, finalMessage: large('cf') });
    expect(ended).toMatchObject({ state: 'terminating', endedBy: a.agentId, finalMessage: null });
    await world.delivery.send(a.caller, { targetAgentId: 'user', content: 'short' });
  });

  test('0 is no limit', async () => {
    const { a } = await talks.workers();
    await limitTo(0);
    for (const name of ['a1', 'a2', 'a3']) await answer(a.caller, await asked(a), large(name));
    expect(await stored(a.agentId)).toBe(3);
  });
});
