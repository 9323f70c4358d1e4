import type { HistoryEntry, TaskAttempt, TaskComment } from '@aizuchi/shared/contract/task';

/** What happened to a task, in words of one line, or what somebody wrote. */
export type Activity = { readonly id: string; readonly at: string } & (
  | { readonly kind: 'change'; readonly entry: HistoryEntry }
  | { readonly kind: 'comment'; readonly comment: TaskComment }
  | { readonly kind: 'began' | 'ended'; readonly attempt: TaskAttempt }
);

interface Records {
  readonly comments: readonly TaskComment[];
  readonly entries: readonly HistoryEntry[];
  readonly attempts: readonly TaskAttempt[];
}

/** Everything in one order, oldest first. What happened in the same millisecond: cause before effect. */
export function timelineOf({ comments, entries, attempts }: Records): readonly Activity[] {
  const all: Activity[] = [
    ...entries.map((entry, index) => ({
      id: `change ${index}`,
      at: entry.at,
      kind: 'change' as const,
      entry,
    })),
    ...attempts.map((attempt) => ({
      id: `began ${attempt.n}`,
      at: attempt.startedAt,
      kind: 'began' as const,
      attempt,
    })),
    ...comments.map((comment) => ({
      id: comment.id,
      at: comment.createdAt,
      kind: 'comment' as const,
      comment,
    })),
    ...attempts.flatMap((attempt) =>
      attempt.endedAt === undefined || attempt.outcome === undefined
        ? []
        : [{ id: `ended ${attempt.n}`, at: attempt.endedAt, kind: 'ended' as const, attempt }],
    ),
  ];
  // Stable: entries of one instant stay in the order of the lists.
  return all.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}
