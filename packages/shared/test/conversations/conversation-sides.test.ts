import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findConversation } from '../../src/core/conversations/find-conversation.ts';
import { TaskService } from '../../src/core/tasks/task-service.ts';
import { checkInvariants } from '../../src/testing/invariants.ts';
import type { ServiceWorld } from '../../src/testing/service-world.ts';
import { untilLater } from '../chat/chat-support.ts';
import { workingOnTask } from '../tasks/task-work-support.ts';
import { refusal, TalkWorld } from './conversation-support.ts';

/** What happens to a conversation when its sides end it at once, die, are stopped, or talk to others too. */
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

const purposes = (projectId: string) => world.presence.pendingPurposes(world.owner, projectId);

describe('both sides', () => {
  it('end it at once: the first is ended_by, the second hears the same and knows by that', async () => {
    const { a, b, id } = await talk.talking();
    const [one, two] = await Promise.all([world.talks.end(a.caller, {}), world.talks.end(b.caller, {})]);
    expect(one?.endedBy).toBe(two?.endedBy);
    expect([a.agentId, b.agentId]).toContain(one?.endedBy);
    expect(await talk.view(id)).toMatchObject({ state: 'ended' });
    expect(await talk.next(a)).toEqual({ kind: 'wait' });
    expect(await talk.next(b)).toEqual({ kind: 'wait' });
  });

  it('end it at once, one of them between two reads of the other: it is still one conversation', async () => {
    const { a, b, id } = await talk.talking();
    let reads = 0;
    const db = world.database.db.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        reads += 1;
        if (reads === 1) await world.talks.end(a.caller, {});
        return result;
      },
    });
    expect(await findConversation(db, b.caller, {}, 'live')).toMatchObject({ id });
    expect(reads).toBeGreaterThan(1);
  });

  it('end it one after the other: the second is still given what it has not read, and the last word', async () => {
    const { a, b, id } = await talk.talking();
    await talk.say(a, b, 'りんご');
    await world.talks.end(a.caller, { finalMessage: 'さようなら' });
    await world.talks.end(b.caller, {});
    expect(await talk.view(id)).toMatchObject({ state: 'terminating' });
    const { messages } = await world.conversations.messages(world.owner, id, { limit: 10 });
    expect(messages).toMatchObject([{ state: 'stored' }]);
    expect(await talk.hear(b)).toMatchObject({ action: 'ended', messages: ['りんご'], repeat: false });
    expect(await talk.view(id)).toMatchObject({ state: 'ended' });
    const read = await world.conversations.messages(world.owner, id, { limit: 10 });
    expect(read.messages).toMatchObject([{ state: 'answered', noReply: true }]);

    const short = await talk.talking();
    await world.talks.end(short.a.caller, { finalMessage: 'さようなら' });
    await world.talks.end(short.b.caller, {});
    expect(await talk.hear(short.b), 'the last word alone').toMatchObject({ action: 'ended', messages: [] });
  });

  it('an end without a name is of one that its maker believes to be live, not of one that it has not heard of', async () => {
    const { a, b, id } = await talk.talking();
    const c = await talk.warm(await world.colleague(a));
    await world.talks.end(a.caller, { finalMessage: 'さようなら' });
    const asked = await world.talks.start(c.caller, { targetAgentId: b.agentId, initialMessage: 'help' });
    expect(await world.talks.end(b.caller, { finalMessage: 'for a alone' })).toMatchObject({
      id,
      endedBy: a.agentId,
      finalMessage: 'さようなら',
    });
    expect(await talk.view(asked.conversation.id)).toMatchObject({ state: 'pending', finalMessage: null });
    expect(await talk.hear(b)).toMatchObject({ action: 'ended', conversationId: id });
    expect(await talk.hear(b)).toMatchObject({ action: 'request', conversationId: asked.conversation.id });
    expect(await world.talks.end(b.caller, {}), 'declined').toMatchObject({ id: asked.conversation.id });
  });

  it('one whose end it has not heard and one that it is in: an end names which', async () => {
    const { a, b } = await talk.talking();
    const c = await talk.warm(await world.colleague(a));
    await world.talks.start(b.caller, { targetAgentId: c.agentId });
    await world.talks.end(a.caller, {});
    expect(await refusal(world.talks.end(b.caller, {}))).toBe('conversation_id_required');
    const again = await world.talks.start(b.caller, { targetAgentId: a.agentId });
    expect(await world.talks.end(b.caller, { targetAgentId: a.agentId })).toMatchObject({
      id: again.conversation.id,
    });
  });

  it('trap 1: an end is heard although the conversation is not active any more; lost, it is told again, marked', async () => {
    const { a, b, id } = await talk.talking();
    await world.talks.end(a.caller, {});
    expect(await talk.hear(b, { lost: true })).toMatchObject({ action: 'ended', repeat: false });
    expect(await talk.view(id)).toMatchObject({ state: 'terminating' });
    expect(await talk.hear(b)).toMatchObject({ action: 'ended', repeat: true });
    expect(await talk.view(id)).toMatchObject({ state: 'ended' });
  });

  it('trap 2: the ender asks again and again, and it stays open until the other knows', async () => {
    const { a, b, id } = await talk.talking();
    await world.talks.end(b.caller, {});
    for (let ask = 0; ask < 3; ask += 1) expect(await talk.hear(b)).toEqual({ kind: 'wait' });
    expect(await talk.view(id)).toMatchObject({ state: 'terminating' });
    await talk.hear(a);
    expect(await talk.view(id)).toMatchObject({ state: 'ended' });
  });

  it('a word beside an end is stored and carried, or refused; never lost', async () => {
    const { a, b, id } = await talk.talking();
    const [said] = await Promise.all([
      refusal(talk.say(a, b, 'まだいますか')),
      world.talks.end(b.caller, {}),
    ]);
    const heard = await talk.hear(a);
    expect(heard).toMatchObject({ action: 'ended', endedBy: b.agentId });
    const page = await world.conversations.messages(world.owner, id, { limit: 10 });
    if (said === 'no refusal') expect(page.messages).toMatchObject([{ content: 'まだいますか' }]);
    else {
      // The one where the end came between its look and its write, the other where it came before both.
      expect(['no_active_conversation', 'conversation_required_for_ai_to_ai']).toContain(said);
      expect(page.totalCount).toBe(0);
    }
  });
});

describe('a session that ends', () => {
  it('crashed: the next one takes the side over and gets what was not answered', async () => {
    const { a, b, id } = await talk.talking();
    await talk.say(a, b, 'りんご');
    await talk.read(b);
    await world.coordination.reportProcessExit({ runId: b.runId, exitCode: 1 });
    expect(await purposes(a.projectId)).toMatchObject([{ agentId: b.agentId, conversationId: id }]);
    world.clock.advance(2_000);
    const next = await talk.signIn(b);
    expect(await talk.hear(next)).toMatchObject({ action: 'request', conversationId: id, resumed: true });
    const delivery = await world.delivery.take(next.caller);
    expect(delivery.pendingMessages).toMatchObject([{ content: 'りんご', redelivered: true }]);
    await world.delivery.respond(next.caller, { content: 'ごりら' });
    expect(await talk.read(a)).toMatchObject({ words: ['ごりら'] });
  });

  it('crashed before it acknowledged the request: the next one hears that it may not be the first', async () => {
    const { a, b } = await talk.workers();
    await world.talks.start(a.caller, { targetAgentId: b.agentId, purpose: 'しりとり' });
    const first = await talk.signIn(b);
    expect(await talk.hear(first, { lost: true })).toMatchObject({ action: 'request', resumed: false });
    await world.coordination.reportProcessExit({ runId: first.runId, exitCode: 1 });
    world.clock.advance(2_000);
    expect(await talk.hear(await talk.signIn(b))).toMatchObject({ action: 'request', resumed: true });
  });

  it('crashed when it was given an end: the next one is given it, and what it carries is marked', async () => {
    const { a, b } = await talk.talking();
    await talk.say(a, b, 'りんご');
    await world.talks.end(a.caller, {});
    expect(await talk.hear(b, { lost: true })).toMatchObject({ messages: ['りんご'], repeat: false });
    await world.coordination.reportProcessExit({ runId: b.runId, exitCode: 1 });
    world.clock.advance(2_000);
    const next = await talk.warm(b);
    const action = await talk.next(next);
    if (action?.kind !== 'conversation') throw new Error('no notice');
    expect(await world.talks.offer(next.caller, action.notice)).toMatchObject({
      repeat: true,
      messages: [{ content: 'りんご', repeat: true }],
    });
  });

  it('ends while an end is about to be offered to it: the notice goes to its successor', async () => {
    const { a, b, id } = await talk.talking();
    await talk.say(a, b, 'りんご');
    await world.talks.end(a.caller, {});
    const action = await talk.next(b);
    if (action?.kind !== 'conversation') throw new Error('no notice');
    await world.coordination.reportProcessExit({ runId: b.runId, exitCode: 1 });
    expect(await world.talks.offer(b.caller, action.notice)).toBeNull();
    world.clock.advance(2_000);
    const next = await talk.warm(b);
    expect(await talk.hear(next)).toMatchObject({
      action: 'ended',
      conversationId: id,
      messages: ['りんご'],
    });
  });

  it('crashed with nothing unread: it is woken all the same, for the conversation lives', async () => {
    const { a, id } = await talk.talking();
    await world.coordination.reportProcessExit({ runId: a.runId, exitCode: 1 });
    expect(await purposes(a.projectId)).toMatchObject([{ agentId: a.agentId, conversationId: id }]);
    world.clock.advance(2_000);
    const next = await talk.signIn(a);
    expect(await talk.hear(next)).toMatchObject({ action: 'request', conversationId: id, resumed: true });
  });

  it('logged out: woken only when there is something to read (trap 6)', async () => {
    const { a, b } = await talk.talking();
    await world.sessions.logout(b.caller);
    expect(await purposes(a.projectId)).toEqual([]);
    await talk.say(a, b, 'まだいますか');
    expect(await purposes(a.projectId)).toMatchObject([{ agentId: b.agentId }]);
  });

  it('and is not there when the other ends it: over after the time of grace', async () => {
    const { a, b, id } = await talk.talking();
    await talk.say(a, b, 'りんご');
    await world.sessions.logout(b.caller);
    await world.talks.end(a.caller, {});
    expect(await purposes(a.projectId), 'its wake-up goes with it').toEqual([]);
    await world.sweeper.runOnce();
    expect(await talk.view(id)).toMatchObject({ state: 'terminating' });
    world.clock.advance(60_000);
    await world.sweeper.runOnce();
    expect(await talk.view(id)).toMatchObject({ state: 'ended' });
    const { messages } = await world.conversations.messages(world.owner, id, { limit: 10 });
    expect(messages).toMatchObject([{ state: 'failed', failure: { code: 'conversation_ended' } }]);
  });

  it('a task’s session and a chat’s session of one agent do not speak for one another', async () => {
    const { a, b } = await talk.workers();
    const { id: taskId } = await new TaskService(world.deps).create(world.owner, a.projectId, {
      title: 'Do it',
    });
    const taskSession = { ...a.caller, sessionId: `ses_task_${a.agentId}`, purpose: 'task' as const, taskId };
    await world.database.db
      .insertInto('agentSessions')
      .values({
        id: taskSession.sessionId,
        agentId: a.agentId,
        projectId: a.projectId,
        purpose: 'task',
        taskId,
      })
      .execute();
    const { conversation } = await world.talks.start(taskSession, {
      targetAgentId: b.agentId,
      initialMessage: '手伝って',
    });
    const partner = await talk.signIn(b);
    await talk.hear(partner);
    await talk.read(partner);
    await world.delivery.respond(partner.caller, { content: 'はい' });
    expect(await talk.next(a), 'the chat has nothing to do with it').toEqual({ kind: 'wait' });
    expect(await talk.read(a)).toEqual({ source: null, words: [] });
    expect(await refusal(world.talks.end(a.caller, { conversationId: conversation.id }))).toBe(
      'no_active_conversation',
    );
    expect(await talk.next({ caller: taskSession })).toEqual({ kind: 'get_pending_messages', again: false });
    expect(await talk.read({ caller: taskSession })).toMatchObject({ words: ['はい'] });
  });

  it('a task’s session takes only the side from which it speaks; what others ask waits for the chat', async () => {
    const { a, b } = await talk.workers();
    const c = await talk.warm(await world.colleague(a));
    const task = await workingOnTask(world, b);
    const ask = { targetAgentId: b.agentId, initialMessage: 'いますか' };
    const { conversation: ofA } = await world.talks.start(a.caller, ask);
    const { conversation: ofC } = await world.talks.start(c.caller, ask);
    await talk.say(task, a, 'はい');
    expect(await talk.view(ofA.id)).toMatchObject({ state: 'active' });
    expect(await talk.view(ofC.id)).toMatchObject({ state: 'pending' });
    const chat = await talk.signIn(b);
    expect(await talk.hear(chat)).toMatchObject({ action: 'request', conversationId: ofC.id });
    expect(await talk.read(chat)).toMatchObject({ words: ['いますか'] });
  });

  it('a side that a task’s session takes needs no chat: its wake-up goes', async () => {
    const { a, b } = await talk.workers();
    const task = await workingOnTask(world, b);
    await world.talks.start(a.caller, { targetAgentId: b.agentId, initialMessage: 'いますか' });
    const chats = async () => (await purposes(b.projectId)).filter(({ purpose }) => purpose === 'chat');
    expect(await chats()).toMatchObject([{ agentId: b.agentId }]);
    await talk.say(task, a, 'はい');
    expect(await chats()).toEqual([]);
    expect(await talk.read(task)).toMatchObject({ words: ['いますか'] });
  });
});

describe('people', () => {
  it('stop a conversation that goes on: both hear it; and one that never began: only its initiator', async () => {
    const going = await talk.talking();
    expect(await world.conversations.stop(world.owner, going.id)).toMatchObject({
      state: 'terminating',
      endReason: 'human_stopped',
      endedBy: null,
    });
    for (const agent of [going.a, going.b])
      expect(await talk.hear(agent)).toMatchObject({
        action: 'ended',
        reason: 'human_stopped',
        endedBy: null,
      });
    expect(await world.conversations.stop(world.owner, going.id)).toMatchObject({ state: 'ended' });

    const { a, b } = await talk.workers();
    const { conversation } = await world.talks.start(a.caller, { targetAgentId: b.agentId });
    expect(await world.conversations.stop(world.owner, conversation.id)).toMatchObject({ state: 'ended' });
    expect(await purposes(a.projectId)).toEqual([]);
    expect(await talk.hear(a)).toMatchObject({ action: 'ended', reason: 'human_stopped' });
  });

  it('remove an agent: its partner hears that it is gone', async () => {
    const { a, b, id } = await talk.talking();
    await world.projects.removeAgent(world.owner, { projectId: b.projectId, agentId: b.agentId });
    expect(await talk.hear(a)).toMatchObject({ action: 'ended', reason: 'participant_gone', endedBy: null });
    world.clock.advance(60_000);
    await world.sweeper.runOnce();
    expect(await talk.view(id)).toMatchObject({ state: 'ended' });
  });

  it('close a chat: the session stays until its conversation is over and heard', async () => {
    const { a, b } = await talk.talking();
    const closed = await world.chat.end(world.owner, { projectId: a.projectId, agentId: a.agentId });
    expect(closed.ended).toBe(0);
    await world.talks.end(b.caller, {});
    await world.sweeper.runOnce();
    expect(await talk.hear(a), 'first the end of the conversation').toMatchObject({ action: 'ended' });
    await world.sweeper.runOnce();
    expect(await talk.next(a)).toEqual({ kind: 'exit', reason: 'user_closed_chat' });
  });

  it('force a chat to end: nothing starts by itself, the partner hears it', async () => {
    const { a, b } = await talk.talking();
    await world.chat.end(world.owner, { projectId: b.projectId, agentId: b.agentId, force: true });
    expect(await talk.hear(a)).toMatchObject({ action: 'ended', reason: 'participant_gone' });
    await world.sessions.logout(b.caller);
    expect(await purposes(a.projectId)).toEqual([]);
  });
});

describe('several sources at once', () => {
  it('gives one a call, the one that waits for longest first, and answers the last delivered', async () => {
    const { a, b, id } = await talk.talking();
    const c = await talk.warm(await world.colleague(a));
    const { conversation } = await world.talks.start(c.caller, {
      targetAgentId: b.agentId,
      initialMessage: 'c1',
    });
    await talk.hear(b);
    await untilLater(world);
    await talk.say(a, b, 'a1');
    await untilLater(world);
    await world.chat.post(world.owner, { projectId: b.projectId, agentId: b.agentId, content: 'person' });
    await talk.say(c, b, 'c2');

    expect(await talk.read(b)).toEqual({
      source: { kind: 'conversation', conversationId: conversation.id, agentId: c.agentId },
      words: ['c1', 'c2'],
    });
    await world.delivery.respond(b.caller, { content: 'to c' });
    expect(await talk.read(b)).toMatchObject({ source: { conversationId: id }, words: ['a1'] });
    expect(await talk.read(b)).toMatchObject({ source: { kind: 'chat' }, words: ['person'] });
    const answer = await world.delivery.respond(b.caller, { content: 'to the person' });
    expect(answer).toMatchObject({ answered: 1 });
    expect(answer.message?.conversationId).toBeUndefined();
    const named = await world.delivery.respond(b.caller, { content: 'to a', targetAgentId: a.agentId });
    expect(named).toMatchObject({ answered: 1, message: { conversationId: id, receiverId: a.agentId } });
    expect(await talk.read(c)).toMatchObject({ words: ['to c'] });
    expect(await talk.read(a)).toMatchObject({ words: ['to a'] });

    const all = await world.history.list(world.owner, {
      projectId: b.projectId,
      agentId: b.agentId,
      limit: 50,
      includeConversations: true,
    });
    expect(all.messages.map((message) => message.content)).toEqual([
      'c1',
      'a1',
      'person',
      'c2',
      'to c',
      'to the person',
      'to a',
    ]);
    const chat = await world.history.list(world.owner, {
      projectId: b.projectId,
      agentId: b.agentId,
      limit: 50,
    });
    expect(chat.messages.map((message) => message.content)).toEqual(['person', 'to the person']);
  });

  it('the same idempotency key gives the first result, and stores nothing', async () => {
    const { a, b } = await talk.workers();
    const start = () => world.talks.start(a.caller, { targetAgentId: b.agentId, idempotencyKey: 'k1' });
    expect((await start()).conversation.id).toBe((await start()).conversation.id);
    const send = () =>
      world.delivery.send(a.caller, { targetAgentId: b.agentId, content: 'once', idempotencyKey: 'k2' });
    const [one, two] = await Promise.all([send(), send()]);
    expect(one.message.id).toBe(two.message.id);
  });
});
