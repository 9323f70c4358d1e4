import type { Task } from '@aizuchi/shared/contract/task';
import { closesCycle } from '@aizuchi/shared/core/tasks/rules/task-graph';
import { isClosed } from '@aizuchi/shared/core/tasks/rules/task-status';

/** As many as a list shows; with more words it becomes shorter. */
const MAX_SHOWN = 30;

export interface Candidate {
  readonly task: Task;
  /** It waits for this task already, or is a part of it: choosing it would close a circle. */
  readonly closesCircle: boolean;
}

/** The tasks that this one could wait for, or be a part of: those that fit the words, the open ones first. */
export function candidatesFor(
  task: Task,
  tasks: readonly Task[],
  relation: 'parent' | 'dependsOn',
  words: string,
): readonly Candidate[] {
  const edges = ({ parentId, dependsOn }: Task) =>
    relation === 'dependsOn' ? dependsOn : parentId === undefined ? [] : [parentId];
  const graph = new Map(tasks.map((one) => [one.id, edges(one)]));
  const chosen = new Set(edges(task));
  const needle = words.trim().toLowerCase();
  return tasks
    .filter(({ id, title }) => {
      if (id === task.id || chosen.has(id)) return false;
      return title.toLowerCase().includes(needle) || id.toLowerCase().includes(needle);
    })
    .toSorted((a, b) => Number(isClosed(a.status)) - Number(isClosed(b.status)))
    .slice(0, MAX_SHOWN)
    .map((one) => ({ task: one, closesCircle: closesCycle(graph, task.id, [one.id]) }));
}
