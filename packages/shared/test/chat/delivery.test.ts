import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TaskService } from '../../src/core/tasks/task-service.ts';
import { checkInvariants } from '../../src/testing/invariants.ts';
import { ServiceWorld, type WorldAgent } from '../../src/testing/service-world.ts';
import {
  expectInvariants,
  messageOf,
  nextAction,
  rawClient,
  rowOf,
  sessionOf,
  untilBlocked,
} from './chat-support.ts';

let world: ServiceWorld;
beforeAll(async () => {
  world = await ServiceWorld.create();
});
afterAll(async () => {
  await expectInvariants(world);
  await world.close();
});

async function warm() {
  const membership = await world.agentInProject();
  // A host for each: nobody waits for a place.
  return { membership, ...(await world.warmAgent(membership, `host-${membership.agentId}`)) };
}

async function post(membership: WorldAgent, content = 'hello') {
  return (await world.chat.post(world.owner, { ...membership, content })).message;
}

const ids = (messages: readonly { id: string }[]) => messages.map(({ id }) => id);

describe('delivery', () => {
  it('gives each message once, to two takes at once too', async () => {
    const { membership, caller } = await warm();
    const posted = [];
    for (let index = 0; index < 5; index += 1) posted.push(await post(membership, `${index}`));
    const gate = await rawClient(world);
    await gate.query('begin');
    await gate.query('select from agent_sessions where id = $1 for update', [caller.sessionId]);
    const takes = [world.delivery.take(caller), world.delivery.take(caller)];
    await untilBlocked(world, 2);
    await gate.query('commit');
    await gate.end();
    const given = (await Promise.all(takes)).map((delivery) => delivery.pendingMessages);
    expect(given.map(ids)).toEqual([ids(posted), ids(posted)]);
    // One of the two gives them for the first time.
    expect(given.map((messages) => messages.every(({ repeat }) => repeat)).sort()).toEqual([false, true]);
  });

  it('gives again, marked, what is unanswered, with what is new; nothing once it is answered', async () => {
    const { membership, caller } = await warm();
    const message = await post(membership);
    expect((await world.delivery.take(caller)).pendingMessages[0]).not.toHaveProperty('repeat');
    const later = await post(membership, 'later');
    expect((await world.delivery.take(caller)).pendingMessages.map(({ id, repeat }) => [id, repeat])).toEqual(
      [
        [message.id, true],
        [later.id, undefined],
      ],
    );
    await world.delivery.respond(caller, { content: 'both' });
    expect(await world.delivery.take(caller)).toMatchObject({ source: null, pendingMessages: [] });
  });

  it('hands over fifty at most, in order, the rest with the next call', async () => {
    const { membership, caller } = await warm();
    const posted = [];
    for (let index = 0; index < 53; index += 1) posted.push(await post(membership, `${index}`));
    const first = await world.delivery.take(caller);
    expect(ids(first.pendingMessages)).toEqual(ids(posted.slice(0, 50)));
    expect(await nextAction(world, caller.sessionId)).toEqual({ kind: 'get_pending_messages', again: false });
    const second = await world.delivery.take(caller);
    expect(ids(second.pendingMessages)).toEqual(ids(posted));
    expect(second.pendingMessages.filter(({ repeat }) => repeat)).toHaveLength(50);
    expect(await world.delivery.respond(caller, { content: 'all of them' })).toMatchObject({ answered: 53 });
  });

  it('shows up to twenty messages before, and says when there is more', async () => {
    const { membership, caller } = await warm();
    for (let index = 0; index < 12; index += 1) {
      await post(membership, `question ${index}`);
      await world.delivery.take(caller);
      await world.delivery.respond(caller, { content: `answer ${index}` });
    }
    await post(membership, 'now');
    const { contextMessages, totalHistoryCount, contextTruncated } = await world.delivery.take(caller);
    expect(contextMessages.map(({ content }) => content)).toEqual(
      [2, 3, 4, 5, 6, 7, 8, 9, 10, 11].flatMap((index) => [`question ${index}`, `answer ${index}`]),
    );
    // The invisible start line does not count.
    expect({ totalHistoryCount, contextTruncated }).toEqual({
      totalHistoryCount: 25,
      contextTruncated: true,
    });
  });

  it('shows the last answer to a message that came while it was written, and calls nothing left out', async () => {
    const { membership, caller } = await warm();
    await post(membership, 'first');
    await world.delivery.take(caller);
    await post(membership, 'second');
    await world.delivery.respond(caller, { content: 'answer to the first' });
    const { contextMessages, contextTruncated } = await world.delivery.take(caller);
    expect(contextMessages.map(({ content }) => content)).toEqual(['first', 'answer to the first']);
    expect(contextTruncated).toBe(false);
  });

  it('trap 10: unread is not "after my own last message"', async () => {
    const { membership, caller } = await warm();
    const early = await post(membership, 'before the agent spoke');
    await world.delivery.send(caller, { targetAgentId: 'user', content: 'by the way' });
    expect(await nextAction(world, caller.sessionId)).toEqual({ kind: 'get_pending_messages', again: false });
    expect(ids((await world.delivery.take(caller)).pendingMessages)).toEqual([early.id]);
  });

  it('never gives system, invisible or own messages', async () => {
    const { membership, caller } = await warm();
    await world.coordination.reportAgentError({ ...membership, error: 'disk full' });
    await world.delivery.send(caller, { targetAgentId: 'user', content: 'hello' });
    expect(await nextAction(world, caller.sessionId)).toEqual({ kind: 'wait' });
    expect(await world.delivery.take(caller)).toMatchObject({ source: null });
  });

  it('gives nothing to a session of the same agent in another project', async () => {
    const { membership } = await warm();
    const other = await world.agentInProject({ name: 'Other' });
    await world.projects.putAgent(world.owner, { projectId: other.projectId, agentId: membership.agentId });
    const elsewhere = { projectId: other.projectId, agentId: membership.agentId };
    const { caller } = await world.warmAgent(elsewhere);
    await post(membership);
    expect(await nextAction(world, caller.sessionId)).toEqual({ kind: 'wait' });
    expect(await world.delivery.take(caller)).toMatchObject({ source: null });
  });
});

describe('respond', () => {
  it('answers what was delivered, not what came later', async () => {
    const { membership, caller } = await warm();
    const [one, two] = [await post(membership, 'one'), await post(membership, 'two')];
    await world.delivery.take(caller);
    const later = await post(membership, 'later');
    expect(await world.delivery.respond(caller, { content: 'both' })).toMatchObject({ answered: 2 });
    expect((await messageOf(world, one.id)).state).toBe('answered');
    expect((await messageOf(world, two.id)).state).toBe('answered');
    expect((await messageOf(world, later.id)).state).toBe('stored');
  });

  it('keeps them open with done: false, and marks them read without content', async () => {
    const { membership, caller } = await warm();
    const message = await post(membership);
    await world.delivery.take(caller);
    expect(await world.delivery.respond(caller, { content: 'looking it up', done: false })).toMatchObject({
      answered: 0,
    });
    expect((await messageOf(world, message.id)).state).toBe('delivered');
    await expect(world.delivery.respond(caller, { done: false })).rejects.toMatchObject({
      code: 'invalid_input',
    });
    expect(await world.delivery.respond(caller, {})).toEqual({ message: null, answered: 1 });
    expect(await messageOf(world, message.id)).toMatchObject({ state: 'answered', noReply: true });
  });

  it('stores one answer for one idempotency key, two at once too', async () => {
    const { membership, caller } = await warm();
    await post(membership);
    await world.delivery.take(caller);
    const gate = await rawClient(world);
    await gate.query('begin');
    await gate.query('select from agent_sessions where id = $1 for update', [caller.sessionId]);
    const both = ['first', 'second'].map((content) =>
      world.delivery.respond(caller, { content, idempotencyKey: 'once' }),
    );
    await untilBlocked(world, 2);
    await gate.query('commit');
    await gate.end();
    const [first, second] = await Promise.all(both);
    expect(first).toEqual(second);
    expect(first).toMatchObject({ answered: 1 });
    const { messages } = await world.history.list(world.owner, { ...membership, limit: 10 });
    expect(messages.filter(({ sender }) => sender === 'agent')).toHaveLength(1);
  });

  it('keeps two keys, and two sessions, apart', async () => {
    const { membership, caller } = await warm();
    const one = await world.delivery.respond(caller, { content: 'a', idempotencyKey: 'k1' });
    const two = await world.delivery.respond(caller, { content: 'a', idempotencyKey: 'k2' });
    await world.sessions.logout(caller);
    const { caller: next } = await world.warmAgent(membership);
    const three = await world.delivery.respond(next, { content: 'a', idempotencyKey: 'k1' });
    expect(new Set([one, two, three].map(({ message }) => message?.id)).size).toBe(3);
  });

  it('after the session ended: unauthenticated, and nothing is stored', async () => {
    const { membership, caller } = await warm();
    const message = await post(membership);
    await world.delivery.take(caller);
    await world.sessions.logout(caller);
    await expect(world.delivery.respond(caller, { content: 'too late' })).rejects.toMatchObject({
      code: 'unauthenticated',
    });
    await expect(
      world.delivery.send(caller, { targetAgentId: 'user', content: 'too late' }),
    ).rejects.toMatchObject({
      code: 'unauthenticated',
    });
    expect(await messageOf(world, message.id)).toMatchObject({ state: 'stored', redelivered: true });
    expect((await world.history.list(world.owner, { ...membership, limit: 10 })).totalCount).toBe(1);
  });
});

describe('send_message', () => {
  it('reaches a person, stores once per key, and counts as unread', async () => {
    const { membership, caller } = await warm();
    const input = { targetAgentId: 'owner', content: 'done', idempotencyKey: 's' };
    const { message } = await world.delivery.send(caller, input);
    expect(message).toMatchObject({
      sender: 'agent',
      senderId: membership.agentId,
      receiverId: 'owner',
      state: 'stored',
    });
    expect((await world.delivery.send(caller, input)).message).toEqual(message);
    expect(await world.history.unreadCounts(world.owner, membership.projectId)).toEqual({
      counts: { [membership.agentId]: 1 },
    });
  });

  it('stores once for one idempotency key, also when the call comes several times at once', async () => {
    const { membership, caller } = await warm();
    const input = { targetAgentId: 'user', content: 'once', idempotencyKey: 'k' };
    const results = await Promise.all([...Array(6)].map(() => world.delivery.send(caller, input)));
    expect(new Set(results.map(({ message }) => message.id)).size).toBe(1);
    expect((await world.history.list(world.owner, { ...membership, limit: 10 })).totalCount).toBe(1);
  });

  it('gives a key of its own to each tool: the same key elsewhere means nothing', async () => {
    const { membership, caller } = await warm();
    await post(membership);
    const { batchId } = await world.delivery.take(caller);
    const answer = { content: 'an answer', idempotencyKey: 'k' };
    const said = await world.delivery.send(caller, {
      targetAgentId: 'user',
      content: 'hi',
      idempotencyKey: 'k',
    });
    expect(said.message.content).toBe('hi');
    const first = await world.delivery.respond(caller, { ...answer, batchId: batchId ?? '' });
    expect(first).toMatchObject({ answered: 1, message: { content: 'an answer' } });
    expect(await world.delivery.respond(caller, answer)).toEqual(first);
  });

  it('about a task that is not of its project: task_not_found, and nothing is stored', async () => {
    const { caller } = await warm();
    const elsewhere = await world.agentInProject();
    const foreign = await new TaskService(world.deps).create(world.owner, elsewhere.projectId, {
      title: 'T',
    });
    for (const relatedTaskId of ['nope', foreign.id])
      await expect(
        world.delivery.send(caller, { targetAgentId: 'user', content: 'about it', relatedTaskId }),
      ).rejects.toMatchObject({ code: 'task_not_found' });
    expect((await world.delivery.take(caller)).totalHistoryCount).toBe(0);
  });

  it('to an agent needs a conversation: the seed’s words', async () => {
    const { caller } = await warm();
    const other = await world.colleague(caller);
    const text = `AIエージェント間のメッセージ送信にはアクティブな会話が必要です。先にstart_conversation(participant_agent_id: "${other.agentId}", initial_message: "...")を呼び出してください。`;
    const words = { targetAgentId: other.agentId, content: 'hi' };
    const refusal = { code: 'conversation_required_for_ai_to_ai', message: text };
    await expect(world.delivery.send(caller, words)).rejects.toMatchObject(refusal);
    await expect(world.delivery.respond(caller, words)).rejects.toMatchObject(refusal);
  });

  it('to nobody, to itself, or to somebody elsewhere, says so', async () => {
    const { caller } = await warm();
    const elsewhere = await world.agentInProject();
    await world.agents.create(world.owner, {
      id: 'stranger',
      name: 'S',
      type: 'human',
      accessLevel: 'member',
    });
    await expect(
      world.delivery.send(caller, { targetAgentId: 'nobody', content: 'hi' }),
    ).rejects.toMatchObject({ code: 'agent_not_found' });
    for (const targetAgentId of ['stranger', elsewhere.agentId])
      await expect(world.delivery.send(caller, { targetAgentId, content: 'hi' })).rejects.toMatchObject({
        code: 'target_agent_not_in_project',
      });
    await expect(
      world.delivery.send(caller, { targetAgentId: caller.agentId, content: 'hi' }),
    ).rejects.toMatchObject({ code: 'cannot_conversation_with_self' });
  });
});

describe('trap 19: the session ends between delivery and answer', () => {
  it('the message is stored again, and the next session gets it marked redelivered', async () => {
    const { membership, caller, runId } = await warm();
    const message = await post(membership);
    await world.delivery.take(caller);
    await world.coordination.reportProcessExit({ runId, exitCode: null, signal: 'SIGKILL' });
    expect(await messageOf(world, message.id)).toMatchObject({ state: 'stored', redelivered: true });
    expect(await checkInvariants(world.database)).toEqual([]);
    world.clock.advance(1_000);
    const next = await world.signIn(membership);
    const { pendingMessages } = await world.delivery.take(next.caller);
    expect(pendingMessages).toMatchObject([{ id: message.id, redelivered: true }]);
    expect(pendingMessages[0]).not.toHaveProperty('repeat');
    await world.delivery.respond(next.caller, { content: 'here' });
    expect((await messageOf(world, message.id)).state).toBe('answered');
  });

  it.each(['end first', 'take first'])(
    'take and end at once (%s): held by a living session, or stored (I-2)',
    async (order) => {
      const { membership, caller } = await warm();
      const message = await post(membership);
      const gate = await rawClient(world);
      await gate.query('begin');
      await gate.query('select from agent_sessions where id = $1 for update', [caller.sessionId]);
      const actions = [() => world.sessions.logout(caller), () => world.delivery.take(caller)];
      if (order === 'take first') actions.reverse();
      const running = [];
      for (const [index, act] of actions.entries()) {
        running.push(act());
        await untilBlocked(world, index + 1);
      }
      await gate.query('commit');
      await gate.end();
      await Promise.all(running);
      expect((await sessionOf(world, caller.sessionId)).state).toBe('ended');
      const after = await messageOf(world, message.id);
      expect([after.state, after.redelivered ?? false]).toEqual(['stored', order === 'take first']);
      expect(await rowOf(world, membership)).toMatchObject({ startedAt: null });
      expect(await checkInvariants(world.database)).toEqual([]);
    },
  );

  it('a person’s retry of a failed message gives it to the next session', async () => {
    const { membership, caller } = await warm();
    const message = await post(membership);
    await world.delivery.take(caller);
    await expect(
      world.chat.retry(world.owner, { ...membership, messageId: message.id }),
    ).rejects.toMatchObject({
      code: 'message_not_failed',
    });
    await world.chat.end(world.owner, { ...membership, force: true });
    expect(await messageOf(world, message.id)).toMatchObject({
      state: 'failed',
      failure: { code: 'stopped_by_person' },
    });
    await world.chat.retry(world.owner, { ...membership, messageId: message.id });
    expect(await rowOf(world, membership)).toMatchObject({ openedBy: 'owner' });
    await world.sessions.acknowledged([caller.sessionId]);
    await world.sessions.logout(caller);
    const next = await world.signIn(membership);
    expect(ids((await world.delivery.take(next.caller)).pendingMessages)).toEqual([message.id]);
    await world.delivery.respond(next.caller, { content: 'ok' });
    const answered = await messageOf(world, message.id);
    expect(answered).toMatchObject({ state: 'answered' });
    expect(answered).not.toHaveProperty('failure');
  });
});
