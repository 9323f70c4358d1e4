import type { Message } from '@aizuchi/shared/contract/chat';
import type { Conversation } from '@aizuchi/shared/contract/conversation';
import type { PendingMessages } from '@aizuchi/shared/contract/tools/chat-tools';
import { ScriptedRefusal, type ToolScript } from '@aizuchi/shared/testing/scripted-mcp-server';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ACTION, AGENT_ID, batchOf, message, RunnerWorld } from './runner-world.ts';

let world: RunnerWorld;

beforeAll(async () => {
  world = await RunnerWorld.make();
});
afterEach(() => world.reset());
afterAll(() => world.close());

const PARTNER_ID = 'agt_2';

function conversation(more: Partial<Conversation> = {}): Conversation {
  return {
    id: 'conv_1',
    projectId: 'prj_1',
    initiatorAgentId: AGENT_ID,
    participantAgentId: PARTNER_ID,
    state: 'active',
    purpose: 'しりとり（1往復）',
    messageCount: 1,
    maxMessages: 4,
    chainId: 'conv_1',
    createdAt: '2026-01-01T00:00:00.000Z',
    endedAt: null,
    endedBy: null,
    endReason: null,
    finalMessage: null,
    ...more,
  };
}

function said(by: string, seq: number, content: string): Message {
  const receiverId = by === AGENT_ID ? PARTNER_ID : AGENT_ID;
  const conversationId = 'conv_1';
  return message(`msg_c${seq}`, content, { sender: 'agent', senderId: by, receiverId, seq, conversationId });
}

function received(seq: number, content: string): PendingMessages {
  return {
    ...batchOf(said(PARTNER_ID, seq, content)),
    source: { kind: 'conversation', conversation_id: 'conv_1', agent_id: PARTNER_ID },
  };
}

const ENDED = { success: true, conversation_id: 'conv_1', state: 'terminating', instruction: '' } as const;

/** The project and one conversation, as the server knows them. */
function conversationTools(of: Conversation, earlier: Message[] = []): ToolScript {
  return {
    list_project_agents: () => ({
      agents: [
        { agent_id: AGENT_ID, name: 'Aiko', type: 'ai', labels: [], is_self: true, active_sessions: 1 },
        { agent_id: PARTNER_ID, name: 'こだま', type: 'ai', labels: [], is_self: false, active_sessions: 0 },
        { agent_id: 'taro', name: '太郎', type: 'human', labels: [], is_self: false, active_sessions: 0 },
      ],
    }),
    get_conversation_messages: () => ({
      conversation: of,
      messages: earlier,
      has_more: false,
      total_count: earlier.length,
    }),
    start_conversation: (args) => ({
      success: true,
      conversation_id: 'conv_1',
      status: 'pending',
      participant_agent_id: PARTNER_ID,
      purpose: args.purpose ?? null,
      max_messages: args.max_messages ?? 20,
      instruction: '',
    }),
    end_conversation: () => ({ ...ENDED, ended_by: AGENT_ID, reason: 'initiator_ended' }),
    send_message: (args) => ({ success: true, message: message('msg_9', args.content), instruction: '' }),
  };
}

test('a person asks for a game with another agent: it begins, plays, ends it, and reports how it went', async () => {
  const batches = [
    batchOf(message('msg_1', 'こだまさんとしりとりを1往復してください')),
    received(2, 'ごりら'),
  ];
  const server = await world.serve([ACTION.messages, ACTION.messages, ACTION.exit], {
    ...conversationTools(conversation(), [said(AGENT_ID, 1, 'しりとりをしましょう。りんご')]),
    get_pending_messages: () => batches.shift() ?? batchOf(),
  });
  expect(await world.start().exit).toBe(0);
  expect(server.callsOf('start_conversation')[0]?.args).toEqual({
    participant_agent_id: PARTNER_ID,
    purpose: 'しりとり（1往復）',
    initial_message: 'しりとりをしましょう。りんご',
    max_messages: 4,
    idempotency_key: 'shiritori:msg_1',
  });
  expect(server.callsOf('respond_chat').map(({ args }) => args.content)).toEqual([
    'こだまさんとしりとりを1往復します。終わったらここでお知らせします。',
  ]);
  expect(server.callsOf('end_conversation')[0]?.args).toEqual({
    conversation_id: 'conv_1',
    final_message: '1往復できました。ここで終わりにします。ありがとうございました。',
    idempotency_key: 'end:conv_1',
  });
  expect(server.callsOf('send_message')[0]?.args).toEqual({
    target_agent_id: 'user',
    content:
      'こだまさんとのしりとりが終わりました。約束の往復数を終えました。\n全部で2語です：りんご → ごりら',
    idempotency_key: 'report:conv_1',
  });
});

test.each([
  ['太郎さんとしりとりを3往復して', '太郎さんは人なので'],
  ['花子さんとしりとりを3往復して', 'このプロジェクトの相手は、こだまです'],
])('it names the partner that it cannot play with: %s', async (text, answer) => {
  const server = await world.serve([ACTION.messages, ACTION.exit], {
    ...conversationTools(conversation()),
    get_pending_messages: () => batchOf(message('msg_1', text)),
  });
  expect(await world.start().exit).toBe(0);
  expect(server.callsOf('start_conversation')).toHaveLength(0);
  expect(server.callsOf('respond_chat')[0]?.args.content).toContain(answer);
});

test('a conversation that cannot begin is said plainly', async () => {
  const server = await world.serve([ACTION.messages, ACTION.exit], {
    ...conversationTools(conversation()),
    get_pending_messages: () => batchOf(message('msg_1', 'こだまさんとしりとりをして')),
    start_conversation: () => {
      throw new ScriptedRefusal('conversation_already_active');
    },
  });
  expect(await world.start().exit).toBe(0);
  expect(server.callsOf('respond_chat')[0]?.args.content).toContain('もう会話の途中です');
});

test('the invited agent answers with the bare word, after a restart too', async () => {
  const mine = conversation({
    initiatorAgentId: PARTNER_ID,
    participantAgentId: AGENT_ID,
    purpose: 'しりとり',
  });
  const server = await world.serve([ACTION.messages, ACTION.exit], {
    ...conversationTools(mine, [
      said(PARTNER_ID, 1, 'しりとりをしましょう。りんご'),
      said(AGENT_ID, 2, 'ごりら'),
      said(PARTNER_ID, 3, 'らくだ'),
    ]),
    get_pending_messages: () => received(3, 'らくだ'),
  });
  expect(await world.start().exit).toBe(0);
  const args = server.callsOf('respond_chat')[0]?.args;
  expect(args?.conversation_id).toBe('conv_1');
  expect(args?.content).toMatch(/^だ[ぁ-ゖー]+$/);
});

test.each([
  [ACTION.ended('participant_ended'), '相手が会話を終えました'],
  [ACTION.ended('timeout'), '時間切れ'],
  [ACTION.ended('human_stopped'), '人の操作で止められました'],
  [ACTION.expired, '相手が会話に応じなかった'],
])('the person reads how it ended when others ended it: %#', async (action, sentence) => {
  const server = await world.serve([action, ACTION.exit], conversationTools(conversation()));
  expect(await world.start().exit).toBe(0);
  expect(server.callsOf('send_message')[0]?.args.content).toContain(sentence);
});

test('the participant reports nothing, and a conversation that the other side has ended is over', async () => {
  const mine = conversation({ initiatorAgentId: PARTNER_ID, participantAgentId: AGENT_ID });
  const server = await world.serve([ACTION.messages, ACTION.ended('initiator_ended'), ACTION.exit], {
    ...conversationTools(mine, [said(PARTNER_ID, 1, 'みかん')]),
    get_pending_messages: () => received(1, 'みかん'),
    end_conversation: () => {
      throw new ScriptedRefusal('no_active_conversation');
    },
  });
  const { exit, stderr } = world.start();
  expect(await exit).toBe(0);
  expect(stderr()).toContain('had ended');
  expect(stderr()).not.toContain('turn failed');
  expect(server.callsOf('send_message')).toHaveLength(0);
});

test('without a game it answers what it knows, and ends the conversation at what needs no answer', async () => {
  const mine = conversation({ initiatorAgentId: PARTNER_ID, participantAgentId: AGENT_ID, purpose: null });
  const batches = [received(1, 'How are the tasks going?'), received(2, 'Thank you! Hello!')];
  const server = await world.serve([ACTION.messages, ACTION.messages, ACTION.exit], {
    ...conversationTools(mine),
    get_pending_messages: () => batches.shift() ?? batchOf(),
  });
  expect(await world.start().exit).toBe(0);
  expect(server.callsOf('respond_chat').map(({ args }) => args.content)).toEqual([
    'There are no tasks on the board yet.',
  ]);
  expect(server.callsOf('end_conversation')[0]?.args.final_message).toContain('welcome');
});

test('of what it cannot do it says so, with what it can; asked again it ends the conversation', async () => {
  const mine = conversation({ initiatorAgentId: PARTNER_ID, participantAgentId: AGENT_ID, purpose: null });
  const batches = [received(1, 'Fix the login page'), received(2, 'Please try.')];
  const server = await world.serve([ACTION.messages, ACTION.messages, ACTION.exit], {
    ...conversationTools(mine),
    get_pending_messages: () => batches.shift() ?? batchOf(),
  });
  expect(await world.start().exit).toBe(0);
  const [answer] = server.callsOf('respond_chat').map(({ args }) => args.content);
  expect(answer).toContain('I cannot answer');
  expect(answer).toContain('shiritori');
  expect(server.callsOf('end_conversation')[0]?.args.final_message).toContain('I cannot answer');
});
