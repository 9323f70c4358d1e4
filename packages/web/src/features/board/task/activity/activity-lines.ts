import type { HistoryEntry, TaskAttempt, TaskComment } from '@aizuchi/shared/contract/task';

export type ActivityLine =
  | { readonly kind: 'comment'; readonly at: string; readonly comment: TaskComment }
  | { readonly kind: 'change'; readonly at: string; readonly entry: HistoryEntry }
  | { readonly kind: 'begun' | 'ended'; readonly at: string; readonly attempt: TaskAttempt };

interface Records {
  readonly comments: readonly TaskComment[];
  readonly history: readonly HistoryEntry[];
  readonly attempts: readonly TaskAttempt[];
}

/** Everything that happened to a task, oldest first; of one moment: the change, the attempt, the comment. */
export function activityLines({ comments, history, attempts }: Records): readonly ActivityLine[] {
  const lines: ActivityLine[] = [
    ...history.map((entry) => ({ kind: 'change' as const, at: entry.at, entry })),
    ...attempts.flatMap((attempt) => [
      { kind: 'begun' as const, at: attempt.startedAt, attempt },
      ...(attempt.endedAt === undefined ? [] : [{ kind: 'ended' as const, at: attempt.endedAt, attempt }]),
    ]),
    ...comments.map((comment) => ({ kind: 'comment' as const, at: comment.createdAt, comment })),
  ];
  // The sort is stable.
  return lines.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
}
