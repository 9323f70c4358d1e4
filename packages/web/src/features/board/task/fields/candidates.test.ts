import type { Task } from '@aizuchi/shared/contract/task';
import { expect, test } from 'vitest';
import { candidatesFor } from './candidates.ts';

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
const own = task('own', { dependsOn: ['waited'] });
const tasks = [
  own,
  task('over', { status: 'done' }),
  task('waited'),
  task('waiting', { dependsOn: ['between'] }),
  task('between', { dependsOn: ['own'] }),
  task('free', { parentId: 'own' }),
];
const names = (relation: 'parent' | 'dependsOn', words = '') =>
  candidatesFor(own, tasks, relation, words).map((one) => [one.task.id, one.closesCircle]);

test('itself and what is chosen already are not offered, open tasks come first, circles are named', () => {
  expect(names('dependsOn')).toEqual([
    ['waiting', true],
    ['between', true],
    ['free', false],
    ['over', false],
  ]);
  expect(names('parent')).toEqual([
    ['waited', false],
    ['waiting', false],
    ['between', false],
    ['free', true],
    ['over', false],
  ]);
});

test('words find titles and ids', () => {
  expect(names('dependsOn', ' TASK fr')).toEqual([['free', false]]);
  expect(names('dependsOn', 'nothing')).toEqual([]);
});
