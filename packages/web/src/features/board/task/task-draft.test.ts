import type { Task } from '@aizuchi/shared/contract/task';
import { describe, expect, test } from 'vitest';
import { differing, draftOf, patchTo, rebased } from './task-draft.ts';

const task: Task = {
  id: 'tsk_1',
  projectId: 'prj_1',
  title: 'Fix the tests',
  description: '',
  status: 'todo',
  priority: 'medium',
  assigneeId: 'agt_1',
  dependsOn: [],
  labels: [],
  position: 1,
  attempts: 0,
  comments: 0,
  version: 3,
  createdAt: '2026-11-21T12:00:00.000Z',
  updatedAt: '2026-11-21T12:00:00.000Z',
};
const base = draftOf(task);

describe('the body of an update', () => {
  test('has what differs, and the version that was read', () => {
    expect(patchTo(task, { ...base, title: ' Fix all tests ', priority: 'high' })).toEqual({
      version: 3,
      title: 'Fix all tests',
      priority: 'high',
    });
  });

  test('removes the assignee with null', () => {
    expect(patchTo(task, { ...base, assigneeId: '' })).toEqual({ version: 3, assigneeId: null });
  });

  test('does not count surrounding spaces as a change', () => {
    expect(differing(base, { ...base, title: 'Fix the tests ' })).toEqual([]);
  });
});

describe('my changes applied on top of theirs', () => {
  test('keep what only they changed; of what both changed mine wins', () => {
    const mine = { ...base, title: 'Mine', priority: 'urgent' as const };
    const theirs = { ...base, title: 'Theirs', description: 'More', assigneeId: '' };
    expect(rebased(theirs, base, mine)).toEqual({
      ...base,
      title: 'Mine',
      description: 'More',
      priority: 'urgent',
      assigneeId: '',
    });
  });

  test('leave out a move that is no longer possible', () => {
    const mine = { ...base, status: 'in_progress' as const };
    expect(rebased({ ...base, status: 'cancelled' }, base, mine).status).toBe('cancelled');
    expect(rebased({ ...base, title: 'Theirs' }, base, mine).status).toBe('in_progress');
  });
});
