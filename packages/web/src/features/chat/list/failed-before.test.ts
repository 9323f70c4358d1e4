import type { Message } from '@aizuchi/shared/contract/chat';
import { expect, test } from 'vitest';
import { failedBefore } from './failed-before.ts';

const user = (id: string, state: Message['state'] = 'failed') => ({ id, sender: 'user', state }) as Message;
const line = (id: string, code: string) =>
  ({ id, sender: 'system', system: { code, params: {} } }) as Message;

test('a message of the system has the failed messages since the one before it', () => {
  const [first, second] = [line('s1', 'timeout_exited'), line('s2', 'agent_crashed')];
  const messages = [user('m1'), first, user('m2', 'answered'), user('m3'), second];
  expect(failedBefore(messages, first)).toEqual(['m1']);
  expect(failedBefore(messages, second)).toEqual(['m3']);
});

test('what failed a second time belongs to the newest line about a turn', () => {
  const [first, second] = [line('s1', 'turn_failed'), line('s2', 'turn_failed')];
  const messages = [line('s0', 'timeout_exited'), user('m1'), first, second];
  expect(failedBefore(messages, first)).toEqual([]);
  expect(failedBefore(messages, second)).toEqual(['m1']);
});
