import type { Conversation } from '@aizuchi/shared/contract/conversation';
import type { ToolScript } from '@aizuchi/shared/testing/scripted-mcp-server';
import { afterEach, expect, test } from 'vitest';
import { lastResults, lastSaid } from '../../fixtures/fake-anthropic.ts';
import { ClaudeWorld } from './claude-world.ts';

let world: ClaudeWorld;
afterEach(() => world.close());

const SOURCE = { kind: 'conversation', conversation_id: 'conv_1', agent_id: 'agt_2' } as const;
const ECHO = { sender: 'agent', senderId: 'agt_2', senderName: 'Echo' } as const;
const OVER = { id: 'conv_1', reason: 'max_messages', unread: [] };

const CONVERSATION: Conversation = {
  id: 'conv_1',
  projectId: 'prj_1',
  initiatorAgentId: 'agt_1',
  participantAgentId: 'agt_2',
  state: 'ended',
  purpose: 'the name of the cat',
  messageCount: 2,
  maxMessages: 2,
  chainId: 'conv_1',
  createdAt: '2026-01-01T00:00:00.000Z',
  endedAt: '2026-01-01T00:01:00.000Z',
  endedBy: null,
  endReason: 'max_messages',
  finalMessage: null,
};

/** The server, for a conversation that this agent began, or another one. */
const serverOf = (initiatorAgentId: string): ToolScript => ({
  get_conversation_messages: () => ({
    conversation: { ...CONVERSATION, initiatorAgentId },
    messages: [],
    has_more: false,
    total_count: 0,
  }),
  send_message: ({ content }) => ({
    success: true,
    message: world.message(content, { sender: 'agent' }),
    instruction: '',
  }),
});

test('the answer to another agent is the text; when the model has ended the conversation, nothing is handed in', async () => {
  world = await ClaudeWorld.make({
    script: (request) => {
      if (lastResults(request).length > 0) return { text: 'It is over.' };
      if (lastSaid(request).includes('Bye')) return { tool: 'mcp__aizuchi__end_conversation', input: {} };
      return { text: 'Tama.' };
    },
    tools: {
      end_conversation: () => ({
        success: true,
        conversation_id: 'conv_1',
        state: 'ended',
        ended_by: 'agt_1',
        reason: 'initiator_ended',
        instruction: '',
      }),
    },
  });
  const session = await world.open();
  const answered = await world.play(
    session,
    world.turn([world.message('What is it called?', ECHO)], { source: SOURCE }),
  );
  expect([answered.answer, answered.end]).toEqual(['Tama.', { type: 'end', reason: 'done' }]);
  expect(JSON.stringify(world.model.requests[0]?.messages)).toContain('Echo: What is it called?');
  const ended = await world.play(session, world.turn([world.message('Bye', ECHO)], { source: SOURCE }));
  expect(ended.end).toEqual({ type: 'end', reason: 'done', answered: true });
});

test('the end of a conversation that this agent began is reported to the person', async () => {
  world = await ClaudeWorld.make({
    script: () => ({ text: 'It is called Tama.' }),
    tools: serverOf('agt_1'),
  });
  const session = await world.open();
  await session.conversationOver?.({ ...OVER, unread: [world.message('Tama!', ECHO)] });
  expect(world.mcp.callsOf('send_message').map(({ args }) => args)).toEqual([
    { target_agent_id: 'user', content: 'It is called Tama.', idempotency_key: 'report:conv_1' },
  ]);
  const prompt = JSON.stringify(world.model.requests[0]?.messages);
  expect(prompt).toContain(
    'The conversation conv_1 about \\"the name of the cat\\" has ended (max_messages)',
  );
  expect(prompt).toContain('Echo: Tama!');
  expect(world.spent).toHaveLength(1);
  await session.conversationOver?.({ ...OVER, reason: 'usage_limit' });
  expect(world.model.requests).toHaveLength(1);
});

test('the end of a conversation that another agent began costs no request, and is told with the next message', async () => {
  world = await ClaudeWorld.make({ script: () => ({ text: 'ok' }), tools: serverOf('agt_2') });
  const session = await world.open();
  await session.conversationOver?.({ ...OVER, reason: 'expired' });
  expect(world.model.requests).toEqual([]);
  await world.play(session, world.turn('Hello'));
  expect(JSON.stringify(world.model.requests[0]?.messages)).toContain(
    'never began: the other agent did not come',
  );
});
