import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { McpWorld, type RunningServer } from '../src/testing/mcp-world.ts';

/**
 * UC016 as two clients see it: names on the wire, held calls that return early, refusals with their codes.
 */
let world: McpWorld;
let server: RunningServer;
beforeAll(async () => {
  world = await McpWorld.create();
  server = await world.startServer();
});
afterAll(() => world.close());

const held = (count: number) =>
  expect.poll(() => server.context.tools.heldCalls(), { interval: 2 }).toBe(count);

/** Two agents of one project, awake. */
async function twoClients() {
  const { services } = world;
  const membership = await services.agentInProject();
  const { ticket } = await services.warmAgent(membership);
  const other = await services.colleague(membership);
  const { ticket: otherTicket } = await services.warmAgent(other);
  return {
    aId: membership.agentId,
    bId: other.agentId,
    a: await world.connect(server, ticket),
    b: await world.connect(server, otherTicket),
  };
}

const PURPOSE = z.object({ properties: z.object({ purpose: z.object({ maxLength: z.number() }) }) });

const codeOf = (reply: { isError: boolean; text: string }) => JSON.parse(reply.text).error?.code;

test('from start_conversation until both have acknowledged the end, every held call answered at once', async () => {
  const { a, b, aId, bId } = await twoClients();
  const waiting = b.call('get_next_action', { hold_seconds: 25 });
  await held(1);
  const started = await a.call('start_conversation', {
    to: bId,
    purpose: 'しりとり',
    initial_message: 'りんご',
  });
  expect(started.structured).toMatchObject({
    success: true,
    status: 'pending',
    participant_agent_id: bId,
    purpose: 'しりとり',
    max_messages: 20,
    message: { content: 'りんご', senderId: aId, receiverId: bId },
  });
  const conversationId = started.structured?.conversation_id;
  expect((await waiting).structured).toMatchObject({
    action: 'conversation_request',
    conversation_id: conversationId,
    from_agent_id: aId,
    from_agent_name: 'Worker',
    purpose: 'しりとり',
    state: 'active',
  });
  expect((await b.call('get_next_action')).structured).toMatchObject({ action: 'get_pending_messages' });
  const fetched = await b.call('get_pending_messages');
  expect(fetched.structured).toMatchObject({
    source: { kind: 'conversation', conversation_id: conversationId, agent_id: aId },
    pending_messages: [{ content: 'りんご', conversationId }],
    total_history_count: 1,
  });

  const answered = a.call('get_next_action', { hold_seconds: 25 });
  await held(1);
  await b.call('respond_chat', { content: 'ごりら', target: aId });
  expect((await answered).structured).toMatchObject({ action: 'get_pending_messages' });
  await a.call('get_pending_messages');
  expect((await a.call('get_conversation_messages')).structured).toMatchObject({
    conversation: { id: conversationId, state: 'active', messageCount: 2 },
    messages: [{ content: 'りんご' }, { content: 'ごりら' }],
    total_count: 2,
    has_more: false,
  });

  await a.call('respond_chat', {});
  const ending = a.call('get_next_action', { hold_seconds: 25 });
  await held(1);
  expect((await b.call('end_conversation', { final_message: 'また今度' })).structured).toMatchObject({
    success: true,
    conversation_id: conversationId,
    // Over already if the held call has told the other side, and it has acknowledged, before this is read.
    state: expect.stringMatching(/^(terminating|ended)$/),
    ended_by: bId,
    reason: 'participant_ended',
  });
  expect((await ending).structured).toMatchObject({
    action: 'conversation_ended',
    conversation_id: conversationId,
    ended_by: bId,
    reason: 'participant_ended',
    final_message: 'また今度',
    unread_messages: [],
  });
  const tooLate = await a.call('end_conversation', {
    conversation_id: conversationId,
    final_message: 'はい',
  });
  expect(tooLate.structured).toMatchObject({
    ended_by: bId,
    instruction: expect.stringContaining('保存されず'),
  });
  // The next call waits until the acknowledgement is recorded: then both know the end, and it is over.
  expect((await a.call('get_next_action')).structured).toMatchObject({ action: 'wait_for_messages' });
  const { conversations, owner } = world.services;
  expect(await conversations.get(owner, String(conversationId))).toMatchObject({ state: 'ended' });
});

test('refusals carry their codes; two different aliases are one of them', async () => {
  const { a, aId, bId } = await twoClients();
  const start = (args: Record<string, unknown>) => a.call('start_conversation', args).then(codeOf);
  expect(await start({})).toBe('target_required');
  expect(await start({ to: bId, target: aId })).toBe('invalid_input');
  expect(await start({ to: bId, max_messages: 41 })).toBe('invalid_input');
  expect(await start({ to: bId, initial_message: '  ' })).toBe('invalid_input');
  expect(await start({ participant_agent_id: aId })).toBe('cannot_conversation_with_self');
  expect(await start({ target_agent_id: 'owner' })).toBe('cannot_start_conversation_with_human');
  const required = await a.call('send_message', { to: bId, content: '質問があります' });
  expect(codeOf(required)).toBe('conversation_required_for_ai_to_ai');
  expect(required.text).toContain('アクティブな会話が必要です');
  expect(await a.call('end_conversation').then(codeOf)).toBe('no_active_conversation');
});

test('a purpose may be as long as the list of the tools says', async () => {
  const { a, bId } = await twoClients();
  const tool = (await a.listTools()).find(({ name }) => name === 'start_conversation');
  const { maxLength } = PURPOSE.parse(tool?.inputSchema).properties.purpose;
  const purpose = '話'.repeat(maxLength);
  const tooLong = await a.call('start_conversation', { to: bId, purpose: `${purpose}す` });
  expect(codeOf(tooLong)).toBe('invalid_input');
  const started = await a.call('start_conversation', { to: bId, purpose });
  expect(started.structured).toMatchObject({ success: true, purpose });
});
