import { newId } from '@aizuchi/shared/platform/ids';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Caller, RestWorld } from './rest-world.ts';
import { SocketClient } from './socket-client.ts';

/** Conversations as people see them: lists, one conversation, its messages, stop; and the frames about them. */
let world: RestWorld;
let owner: Caller;
let projectId: string;
let agentId: string;
beforeAll(async () => {
  world = await RestWorld.create({ isRunning: true });
  owner = await world.owner();
  ({ projectId, agentId } = await world.project());
});
afterAll(() => world.close());

/** Creates an active conversation between the project's agent and a new agent, with these messages. */
async function conversation(words: readonly string[] = []): Promise<{ id: string; partnerId: string }> {
  const { agents, projects, database } = world.context;
  const made = newId('agt');
  const partner = await agents.create(owner, { id: made, name: `Partner ${made}`, type: 'ai' });
  await projects.putAgent(owner, { projectId, agentId: partner.id });
  const { db } = database;
  const id = newId('conv');
  const now = world.clock.now();
  await db.insertInto('conversationChains').values({ id, projectId, messageCount: words.length }).execute();
  await db
    .insertInto('conversations')
    .values({
      id,
      projectId,
      chainId: id,
      initiatorAgentId: agentId,
      participantAgentId: partner.id,
      state: 'active',
      purpose: 'しりとり',
      maxMessages: 20,
      messageCount: words.length,
      createdAt: now,
      lastActivityAt: now,
    })
    .execute();
  await db
    .insertInto('chatThreads')
    .values({ id, projectId, agentId, conversationId: id, lastSeq: words.length })
    .execute();
  for (const [index, content] of words.entries())
    await db
      .insertInto('chatMessages')
      .values({
        id: newId('msg'),
        threadId: id,
        conversationId: id,
        seq: index + 1,
        projectId,
        agentId,
        sender: 'agent',
        senderId: agentId,
        receiverId: partner.id,
        deliverTo: partner.id,
        content,
        createdAt: now,
        logOffset: index,
      })
      .execute();
  return { id, partnerId: partner.id };
}

const get = async (path: string) => (await world.call(owner, 'GET', path)).body;

test('conversations are listed newest first, page by page, filtered by state', async () => {
  const ids: string[] = [];
  for (let count = 0; count < 3; count += 1) {
    ids.unshift((await conversation()).id);
    world.clock.advance(1_000);
  }
  const first = await get(`/api/projects/${projectId}/conversations?limit=2`);
  expect(first.conversations.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 2));
  const rest = await get(`/api/projects/${projectId}/conversations?limit=2&cursor=${first.nextCursor}`);
  expect(rest.conversations.map(({ id }: { id: string }) => id)).toEqual(ids.slice(2));
  expect(rest.nextCursor).toBeNull();
  const by = async (query: string) =>
    (await get(`/api/projects/${projectId}/conversations?${query}`)).conversations.length;
  expect([await by('state=active'), await by('state=ended'), await by('state=ended&state=active')]).toEqual([
    3, 0, 3,
  ]);
  const wrong = await world.call(owner, 'GET', `/api/projects/${projectId}/conversations?state=asleep`);
  expect([wrong.status, wrong.body.error.code]).toEqual([400, 'invalid_input']);
});

test('those of one agent are listed by themselves, on whichever side it is', async () => {
  const { id: other, partnerId } = await conversation();
  const first = await conversation();
  await world.context.database.db
    .updateTable('conversations')
    .set({ initiatorAgentId: partnerId, participantAgentId: first.partnerId })
    .where('id', '=', first.id)
    .execute();
  world.clock.advance(1_000);
  const { id: second } = await conversation();
  await world.context.database.db
    .updateTable('conversations')
    .set({ participantAgentId: partnerId, state: 'ended' })
    .where('id', '=', second)
    .execute();
  const path = `/api/projects/${projectId}/conversations?agentId=${partnerId}&limit=2`;
  const { conversations, nextCursor } = await get(path);
  const next = await get(`${path}&cursor=${nextCursor}`);
  const ids = [...conversations, ...next.conversations].map(({ id }: { id: string }) => id);
  expect(ids[0]).toBe(second);
  expect(ids.toSorted()).toEqual([other, first.id, second].toSorted());
  expect(next.nextCursor).toBeNull();
  expect((await get(`${path}&state=ended`)).conversations.map(({ id }: { id: string }) => id)).toEqual([
    second,
  ]);
});

test('one conversation and its messages, page by page', async () => {
  const { id, partnerId } = await conversation(['りんご', 'ごりら', 'らっぱ']);
  expect(await get(`/api/conversations/${id}`)).toMatchObject({
    id,
    initiatorAgentId: agentId,
    participantAgentId: partnerId,
    state: 'active',
    purpose: 'しりとり',
    messageCount: 3,
    maxMessages: 20,
    chainId: id,
    chainMessageCount: 3,
    chainMaxMessages: 60,
    endedAt: null,
    endedBy: null,
    endReason: null,
    finalMessage: null,
  });
  const newest = await get(`/api/conversations/${id}/messages?limit=2`);
  expect(newest).toMatchObject({ hasMore: true, totalCount: 3 });
  const words = (page: { messages: { content: string }[] }) => page.messages.map(({ content }) => content);
  expect(words(newest)).toEqual(['ごりら', 'らっぱ']);
  expect(words(await get(`/api/conversations/${id}/messages?before=${newest.messages[0].id}`))).toEqual([
    'りんご',
  ]);
  const unknown = await world.call(owner, 'GET', `/api/conversations/${id}/messages?after=msg_none`);
  expect([unknown.status, unknown.body.error.code]).toEqual([404, 'message_not_found']);
});

test('a stop by a person reaches the page as a frame; a second stop changes nothing', async () => {
  const { id } = await conversation();
  const client = await SocketClient.open(world.port, { authorization: `Bearer ${owner.token}` });
  await client.subscribe(projectId);
  const stopped = await world.call(owner, 'POST', `/api/conversations/${id}/end`);
  expect([stopped.status, stopped.body.endReason, stopped.body.endedBy]).toEqual([
    200,
    'human_stopped',
    null,
  ]);
  const frame = await client.heard(({ type }) => type === 'conversation_changed');
  expect(frame).toMatchObject({ projectId, conversation: { id, endReason: 'human_stopped' } });
  const again = await world.call(owner, 'POST', `/api/conversations/${id}/end`);
  expect([again.status, again.body.endedAt]).toEqual([200, stopped.body.endedAt]);
  client.socket.terminate();
});

test('reading an overdue conversation shows its timeout before the sweeper ran', async () => {
  const { id } = await conversation();
  world.clock.advance(600_000);
  expect(await get(`/api/conversations/${id}`)).toMatchObject({ endReason: 'timeout', endedBy: null });
});
