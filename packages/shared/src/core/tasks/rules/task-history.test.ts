import { expect, test } from 'vitest';
import { changesOf } from './task-history.ts';

test('a change names each field that differs, and none that was not named or stayed', () => {
  const before = { status: 'todo', title: 'A', assigneeId: null, labels: ['b', 'a'], dueDate: '2026-12-01' };
  expect(
    changesOf(before, {
      status: 'in_progress',
      title: 'A',
      assigneeId: 'agt_1',
      labels: ['a', 'b'],
      dueDate: null,
    }),
  ).toEqual([
    { field: 'status', from: 'todo', to: 'in_progress' },
    { field: 'assigneeId', from: null, to: 'agt_1' },
    { field: 'dueDate', from: '2026-12-01', to: null },
  ]);
  expect(changesOf(before, {})).toEqual([]);
});

test('a long text is cut between characters', () => {
  const [change] = changesOf({ description: '' }, { description: `${'x'.repeat(999)}𠮷${'y'.repeat(500)}` });
  expect(change?.to).toBe(`${'x'.repeat(999)}…`);
});
