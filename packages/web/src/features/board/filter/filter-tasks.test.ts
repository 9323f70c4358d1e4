import type { Task } from '@aizuchi/shared/contract/task';
import { expect, test } from 'vitest';
import { countFilters, dayHere, filterTasks, type TaskFilter } from './filter-tasks.ts';

const task = (id: string, rest: Partial<Task> = {}): Task => ({
  id,
  projectId: 'prj_1',
  title: `Task ${id}`,
  description: '',
  status: 'todo',
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
const tasks = [
  task('mine', { assigneeId: 'owner', dueDate: '2026-11-26' }),
  task('agents', { assigneeId: 'agt_1', labels: ['test'], dueDate: '2026-12-04' }),
  task('free', { description: 'Needs the KEY', dueDate: '2026-12-05' }),
  task('over', { assigneeId: 'owner', status: 'done', dueDate: '2026-11-01' }),
];
const found = (filter: TaskFilter) =>
  filterTasks(tasks, filter, { me: 'owner', today: '2026-11-27' }).map(({ id }) => id);

test.each<[TaskFilter, string[]]>([
  [{ who: 'me' }, ['mine', 'over']],
  [{ who: 'agt_1' }, ['agents']],
  [{ who: 'none' }, ['free']],
  [{ label: 'test' }, ['agents']],
  [{ find: ' key ' }, ['free']],
  [{ find: 'task', who: 'agt_1' }, ['agents']],
  [{ due: 'overdue' }, ['mine']],
  [{ due: 'week' }, ['mine', 'agents']],
  [{ due: 'none' }, []],
])('%o', (filter, ids) => {
  expect(found(filter)).toEqual(ids);
});

test('without a filter the tasks are the same array', () => {
  expect(filterTasks(tasks, {}, { me: 'owner', today: '2026-11-27' })).toBe(tasks);
  expect(countFilters({ who: 'me', due: 'week' })).toBe(2);
});

test('a day is the one of this place', () => {
  expect(dayHere(new Date(2026, 0, 5, 23, 59))).toBe('2026-01-05');
});
