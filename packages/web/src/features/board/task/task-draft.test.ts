import { expect, test } from 'vitest';
import { bodyOf, emptyDraft, isBlank, readTaskDraft } from './task-draft.ts';

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

test('a kept draft is read back; what is no draft gives the empty one', () => {
  const empty = emptyDraft('backlog');
  const draft = { ...empty, title: 'Half', labels: 'ui', priority: 'urgent' } as const;
  expect(readTaskDraft(JSON.stringify(draft), empty)).toEqual(draft);
  for (const text of [undefined, '{', '7', 'null', '{"title":1,"priority":"all"}'])
    expect(readTaskDraft(text, empty)).toEqual(empty);
  expect([isBlank(empty), isBlank({ ...empty, title: ' ' }), isBlank(draft)]).toEqual([true, true, false]);
});
