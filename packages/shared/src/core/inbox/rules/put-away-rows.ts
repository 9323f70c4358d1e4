import type { WaitingItem } from './inbox-entries.ts';

interface HiddenItem extends WaitingItem {
  readonly putAwayAt: string;
  readonly until?: string | undefined;
}

/** One row of the list: what was put away together. */
export interface PutAwayRow<T extends HiddenItem> {
  /** It names the row: the failed run, if there is one. */
  readonly item: T;
  /** All of them, `item` too. */
  readonly items: readonly T[];
}

/** A failure and what it had caused, or the mentions on a task, were one row of the inbox, and are one here; in the order of the items. */
export function putAwayRows<T extends HiddenItem>(items: readonly T[]): PutAwayRow<T>[] {
  return [...Map.groupBy(items, rowOf).values()].flatMap((together) => {
    const item = together.find(({ kind }) => kind === 'failed_run') ?? together[0];
    return item ? [{ item, items: together }] : [];
  });
}

function rowOf({ putAwayAt, until = '', projectId, agentId, taskId, refId }: HiddenItem): string {
  return `${putAwayAt} ${until} ${projectId} ${agentId ?? taskId ?? `- ${refId}`}`;
}
