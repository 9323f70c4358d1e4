import { movesFrom } from '@aizuchi/shared/core/tasks/rules/task-machine';
import type { TaskStatus } from '@aizuchi/shared/core/tasks/rules/task-status';

/** The columns on the shortest way to one that a task may not be moved to directly. Empty: it may, or it is there. */
export function wayTo(from: TaskStatus, to: TaskStatus): readonly TaskStatus[] {
  const ways = new Map<TaskStatus, readonly TaskStatus[]>([[from, []]]);
  // A map is gone through in the order in which it grows: the nearest first.
  for (const [at, way] of ways)
    for (const next of movesFrom(at)) if (!ways.has(next)) ways.set(next, at === from ? [] : [...way, at]);
  return ways.get(to) ?? [];
}
