import type { TaskStatus } from '@aizuchi/shared/core/tasks/rules/task-status';
import { describe, expect, test } from 'vitest';
import { cardBeside, columnsOf, moveTowards, shortId } from './columns.ts';

const task = (id: string, status: TaskStatus, position = 0) => {
  const at = new Date(Date.UTC(2026, 10, 21, 12, position)).toISOString();
  return { id, status, position, updatedAt: at };
};
const idsOf = (tasks: readonly { id: string }[]) => tasks.map(({ id }) => id);

describe('columns', () => {
  test('open columns are in the order of the positions, equal ones by id', () => {
    const { todo } = columnsOf([task('c', 'todo', 9), task('b', 'todo', 1), task('a', 'todo', 1)]);
    expect(idsOf(todo)).toEqual(['a', 'b', 'c']);
  });

  test('finished tasks are sorted latest first', () => {
    const { done } = columnsOf([task('old', 'done', 1), task('new', 'done', 2)]);
    expect(idsOf(done)).toEqual(['new', 'old']);
  });
});

describe('moving by keys', () => {
  test.each([
    ['backlog', 1, 'todo'],
    ['backlog', -1, undefined],
    ['in_progress', -1, 'todo'],
    ['in_progress', 1, 'blocked'],
    // Not past Done to Cancelled: refused, with words.
    ['blocked', 1, 'done'],
    ['done', -1, 'todo'],
    ['done', 1, 'cancelled'],
    ['cancelled', -1, 'backlog'],
  ] as const)('the next column from %s in direction %i is %s', (status, direction, to) => {
    expect(moveTowards(status, direction)).toBe(to);
  });
});

describe('the card beside', () => {
  const columns = columnsOf([
    task('b1', 'backlog', 1),
    task('b2', 'backlog', 2),
    task('b3', 'backlog', 3),
    task('p1', 'in_progress', 1),
    task('p2', 'in_progress', 2),
  ]);

  test.each([
    ['b1', 'ArrowDown', 'b2'],
    ['b1', 'ArrowUp', undefined],
    ['b3', 'ArrowDown', undefined],
    ['b2', 'ArrowRight', 'p2'],
    ['b3', 'ArrowRight', 'p2'],
    ['p1', 'ArrowLeft', 'b1'],
    ['p1', 'ArrowRight', undefined],
    ['nowhere', 'ArrowDown', undefined],
  ] as const)('the card reached from %s by %s is %s', (id, key, beside) => {
    expect(cardBeside(columns, id, key)?.id).toBe(beside);
  });
});

test('a generated id is shown by its end, a chosen id in full', () => {
  expect(shortId('tsk_01jd8e6s0w2hd')).toBe('w2hd');
  expect(shortId('import-rates')).toBe('import-rates');
});
