import { expect, test } from 'vitest';
import { bodyOf } from './task-draft.ts';

test('what is empty is left out, spaces around a text too, each label stands once', () => {
  const empty = { description: ' ', assigneeId: '', labels: '', dueDate: '' };
  expect(bodyOf({ ...empty, title: ' Ship it ', status: 'todo', priority: 'high' })).toEqual({
    title: 'Ship it',
    status: 'todo',
    priority: 'high',
    labels: [],
  });
  expect(
    bodyOf({
      title: 'Ship it',
      description: 'Now ',
      status: 'todo',
      priority: 'low',
      assigneeId: 'owner',
      labels: 'ui, release、ui,',
      dueDate: '2026-12-24',
    }),
  ).toMatchObject({
    description: 'Now',
    assigneeId: 'owner',
    labels: ['ui', 'release'],
    dueDate: '2026-12-24',
  });
});
