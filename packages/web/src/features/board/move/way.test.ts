import { TASK_MOVES } from '@aizuchi/shared/core/tasks/rules/task-machine';
import { TASK_STATUSES } from '@aizuchi/shared/core/tasks/rules/task-status';
import { describe, expect, test } from 'vitest';
import { wayTo } from './way.ts';

describe('the way to another column', () => {
  test.each([
    ['todo', 'done', ['in_progress']],
    ['blocked', 'done', ['in_progress']],
    ['backlog', 'done', ['todo', 'in_progress']],
    ['cancelled', 'done', ['backlog', 'todo', 'in_progress']],
    ['done', 'cancelled', ['todo']],
    ['in_progress', 'backlog', ['todo']],
    ['in_progress', 'done', []],
    ['done', 'done', []],
  ] as const)('from %s to %s is %j', (from, to, way) => {
    expect(wayTo(from, to)).toEqual(way);
  });

  test('is empty only where the move is allowed, and each step of it is allowed', () => {
    for (const from of TASK_STATUSES)
      for (const to of TASK_STATUSES) {
        const way = wayTo(from, to);
        expect(way.length === 0, `${from} → ${to}`).toBe(TASK_MOVES[from][to]);
        const steps = [from, ...way, to];
        for (const [index, step] of steps.slice(1).entries())
          expect(TASK_MOVES[steps[index] ?? from][step], `${from} → ${to}`).toBe(true);
      }
  });
});
