import type { Task } from '@aizuchi/shared/contract/task';
import { isClosed } from '@aizuchi/shared/core/tasks/rules/task-status';
import type { Strip } from '../card/card-strip.ts';

export const PROBLEM_KINDS = ['asks', 'failing', 'blocked', 'overdue'] as const;
export type ProblemKind = (typeof PROBLEM_KINDS)[number];

/** What does not go on by itself: each task once, under the reason that a person can act on first. */
export function problemsOf(
  tasks: readonly Task[],
  strips: ReadonlyMap<string, Strip>,
  today: string,
): Readonly<Record<ProblemKind, readonly Task[]>> {
  const kindOf = ({ id, status, dueDate }: Task): ProblemKind | undefined => {
    if (isClosed(status)) return undefined;
    const strip = strips.get(id)?.kind;
    if (strip === 'asks') return 'asks';
    if (strip === 'failed') return 'failing';
    if (status === 'blocked') return 'blocked';
    return dueDate !== undefined && dueDate < today ? 'overdue' : undefined;
  };
  const byKind = Map.groupBy(tasks, kindOf);
  const those = (kind: ProblemKind) => byKind.get(kind) ?? [];
  return {
    asks: those('asks'),
    failing: those('failing'),
    blocked: those('blocked'),
    overdue: those('overdue'),
  };
}
