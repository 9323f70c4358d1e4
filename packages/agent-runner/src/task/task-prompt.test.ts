import type { MyTask } from '@aizuchi/shared/contract/tools/task-tools';
import { expect, test } from 'vitest';
import { saidReport, taskPrompt } from './task-prompt.ts';

const mine: MyTask = {
  task: {
    task_id: 'tsk_1',
    title: 'Paint it',
    description: 'Blue.',
    status: 'in_progress',
    priority: 'high',
    assignee_id: 'agt_1',
    assignee_name: 'Kana',
    parent_id: null,
    depends_on: [],
    labels: [],
    due_date: null,
    version: 1,
    created_at: '',
    updated_at: '',
  },
  attempt: 1,
  context: [],
  comments: [],
  attempts: [],
  dependencies: [],
  instruction: '',
};

test('a task is told with what is known of it', () => {
  const first = taskPrompt(mine);
  expect(first).toContain('Paint it\n\nBlue.');
  expect(first).toContain('report_completed');
  expect(first).not.toContain('go on from the saved context');
  const again = taskPrompt({
    ...mine,
    context: [{ at: '', attempt: 1, text: 'half is blue' }],
    comments: [{ at: '', author_id: 'owner', author_name: 'Owner', text: 'Hurry' }],
  });
  expect(again).toContain('- half is blue');
  expect(again).toContain('- Owner: Hurry');
  expect(again).toContain('go on from the saved context');
});

test.each([
  ['DONE: it is blue', 'done', 'it is blue'],
  ['**DONE** it is blue', 'done', 'it is blue'],
  ['BLOCKED. No paint.', 'blocked', 'No paint.'],
  ['WAITING', 'waiting', ''],
  ['Which blue?', 'blocked', 'Which blue?'],
  ['DONEGAL is a county', 'blocked', 'DONEGAL is a county'],
])('what was said instead of a report: %s', (text, result, summary) => {
  expect(saidReport(text)).toEqual({ result, summary });
});
