import type { Task } from '@aizuchi/shared/contract/task';
import { expect, test } from 'vitest';
import { lanesOf } from './lanes.ts';
import { problemsOf } from './problems.ts';

const task = (id: string, rest: Partial<Task> = {}): Task => ({
  id,
  projectId: 'prj_1',
  title: `Task ${id}`,
  description: '',
  status: 'in_progress',
  priority: 'medium',
  dependsOn: [],
  labels: [],
  position: 1,
  attempts: 0,
  comments: 0,
  version: 1,
  createdAt: '2026-11-21T12:00:00.000Z',
  updatedAt: '2026-11-21T12:00:00.000Z',
  ...rest,
});

test('agents have their lanes in order, then those who left, at last nobody', () => {
  const tasks = [
    task('free'),
    task('b', { assigneeId: 'agt_b' }),
    task('gone', { assigneeId: 'agt_gone' }),
    task('a', { assigneeId: 'agt_a' }),
    task('a2', { assigneeId: 'agt_a' }),
  ];
  expect(lanesOf(tasks, ['agt_a', 'agt_b']).map((lane) => [lane.assigneeId, lane.tasks.length])).toEqual([
    ['agt_a', 2],
    ['agt_b', 1],
    ['agt_gone', 1],
    [undefined, 1],
  ]);
});

test('a problem stands once, under what a person can act on first', () => {
  const tasks = [
    task('asks', { status: 'blocked' }),
    task('failing'),
    task('blocked', { status: 'blocked', dueDate: '2026-01-01' }),
    task('late', { dueDate: '2026-11-26' }),
    task('fine', { dueDate: '2026-11-27' }),
    task('over', { status: 'done', dueDate: '2026-01-01' }),
  ];
  const problems = problemsOf(
    tasks,
    new Map([
      ['asks', { kind: 'asks' }],
      ['failing', { kind: 'failed' }],
    ]),
    '2026-11-27',
  );
  const ids = Object.entries(problems).map(([kind, found]) => [kind, found.map(({ id }) => id)]);
  expect(ids).toEqual([
    ['asks', ['asks']],
    ['failing', ['failing']],
    ['blocked', ['blocked']],
    ['overdue', ['late']],
  ]);
});
