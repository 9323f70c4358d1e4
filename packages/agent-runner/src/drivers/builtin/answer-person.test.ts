import type { Message } from '@aizuchi/shared/contract/chat';
import { expect, test } from 'vitest';
import type { Turn } from '../../driver.ts';
import { answerPerson } from './answer-person.ts';

const message = (id: string, content: string): Message => ({
  id,
  projectId: 'prj_1',
  senderId: 'user',
  humanId: 'owner',
  senderName: 'Owner',
  sender: 'user',
  content,
  createdAt: '2026-05-08T01:00:00.000Z',
  visible: true,
  state: 'delivered',
  seq: 1,
});

test('each message is answered by what it asks for: from memory, or else', async () => {
  const called: string[] = [];
  const turn: Turn = {
    agentId: 'agt_1',
    agentName: 'Echo',
    source: { kind: 'chat' },
    messages: [
      message('msg_1', 'Remember that my cat is called Momo.'),
      message('msg_2', 'Thank you!'),
      message('msg_3', '猫の名前、覚えてる？'),
    ],
    context: [],
    tools: {
      call: async (name) => {
        called.push(name);
        const results: Record<string, unknown> = {
          remember: { success: true, event_id: 'evt_1', state_id: 'sta_1', instruction: '' },
          recall: { run_id: 'ret_1', degraded: [], items: [], instruction: '' },
        };
        return results[name] as never;
      },
    },
    signal: new AbortController().signal,
    ask: async () => ({ status: 'unavailable', answers: {} }),
    approve: async () => ({ decision: 'unavailable' }),
  };
  const answer = await answerPerson(
    turn,
    () => [],
    () => 0,
  );
  expect(answer).toBe(
    [
      'About "Remember that my cat is called Momo.":\nI will remember this: "my cat is called Momo."',
      'About "Thank you!":\nYou are welcome. Ask whenever there is something else you would like to know.',
      '「猫の名前、覚えてる？」について\n「猫の名前」については覚えていません。',
    ].join('\n\n'),
  );
  expect(called).toEqual(['remember', 'recall']);
});
