import type { Task } from '@aizuchi/shared/contract/task';
import { expect, test } from 'vitest';
import { clashing, differing } from './task-change.ts';

const base: Task = {
  id: 'tsk_1',
  projectId: 'prj_1',
  title: 'Fix the tests',
  description: '',
  status: 'todo',
  priority: 'medium',
  assigneeId: 'agt_1',
  dependsOn: ['tsk_2', 'tsk_3'],
  labels: [],
  position: 1,
  attempts: 0,
  comments: 0,
  version: 3,
  createdAt: '2026-11-21T12:00:00.000Z',
  updatedAt: '2026-11-21T12:00:00.000Z',
};

test('states differ in the fields that a person sees; the order of a list is no difference', () => {
  const { assigneeId: _nobody, ...unassigned } = base;
  expect(differing(base, { ...base, version: 4, position: 2, dependsOn: ['tsk_3', 'tsk_2'] })).toEqual([]);
  expect(differing(base, { ...unassigned, title: 'Other', labels: ['a'] })).toEqual([
    'assigneeId',
    'title',
    'labels',
  ]);
});

test('a change clashes only where somebody else has changed the same field to something else', () => {
  const now = { ...base, title: 'Theirs', priority: 'high' as const };
  expect(clashing(base, now, { title: 'Mine' })).toEqual(['title']);
  expect(clashing(base, now, { title: 'Theirs' })).toEqual([]);
  expect(clashing(base, now, { description: 'Mine', status: 'in_progress' })).toEqual([]);
  expect(clashing(base, base, { title: 'Mine' })).toEqual([]);
  expect(clashing(base, { ...base, dueDate: '2026-12-01' }, { dueDate: null })).toEqual(['dueDate']);
});
