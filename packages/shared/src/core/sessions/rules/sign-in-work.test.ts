import { expect, test } from 'vitest';
import { decideSignInTask } from './sign-in-work.ts';

const chat = { purpose: 'chat', taskId: '' } as const;
const one = { purpose: 'task', taskId: 'tsk_1' } as const;
const other = { purpose: 'task', taskId: 'tsk_2' } as const;

test.each<[string, ...Parameters<typeof decideSignInTask>, string]>([
  ['nothing waits: a chat', undefined, { rows: [], live: [] }, ''],
  ['the row that waits', undefined, { rows: [one, other], live: [] }, 'tsk_1'],
  ['the chat before a task', undefined, { rows: [chat, one], live: [] }, ''],
  ['the chat that lives, to take its place', undefined, { rows: [one], live: [chat] }, ''],
  ['a task beside the chat that lives, where it is named', 'task', { rows: [one], live: [chat] }, 'tsk_1'],
  ['a task although a chat waits, where it is named', 'task', { rows: [chat, one], live: [] }, 'tsk_1'],
  ['a chat although a task waits, where it is named', 'chat', { rows: [one], live: [] }, ''],
  ['the task that is worked on, where none waits', 'task', { rows: [], live: [chat, one] }, 'tsk_1'],
  ['no task is there to work on', 'task', { rows: [], live: [chat] }, ''],
  ['a task that is worked on is not taken by chance', undefined, { rows: [], live: [one] }, ''],
])('%s', (_, wanted, of, taskId) => {
  expect(decideSignInTask(wanted, of)).toBe(taskId);
});
