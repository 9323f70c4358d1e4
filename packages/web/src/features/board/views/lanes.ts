import type { Task } from '@aizuchi/shared/contract/task';

export interface Lane {
  /** Undefined: nobody is assigned. */
  readonly assigneeId: string | undefined;
  readonly tasks: readonly Task[];
}

/** The tasks of each assignee: agents in their order, then others, at last what nobody has. */
export function lanesOf(tasks: readonly Task[], order: readonly string[]): readonly Lane[] {
  const byAssignee = Map.groupBy(tasks, ({ assigneeId }) => assigneeId);
  const rank = (id: string | undefined) => {
    if (id === undefined) return order.length + 1;
    const index = order.indexOf(id);
    return index < 0 ? order.length : index;
  };
  return [...byAssignee]
    .map(([assigneeId, own]) => ({ assigneeId, tasks: own }))
    .toSorted((a, b) => rank(a.assigneeId) - rank(b.assigneeId));
}
