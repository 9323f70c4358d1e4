import { type InboxItem, MAX_DISMISSED, type SeenRef } from '@aizuchi/shared/contract/inbox';

/** One row of the inbox: a card, everything that one failure has caused, or one other thing. */
export interface InboxEntry {
  readonly section: 'cards' | 'incidents' | 'others';
  /** It names the row. */
  readonly item: InboxItem;
  /** What the same failure has caused besides. */
  readonly others: readonly InboxItem[];
}

/** A task that was blocked so shortly before or after the end of a run was blocked by it. */
const SAME_MOMENT_MS = 60_000;

/**
 * Cards by their deadline, which is the order in which they were asked; then one row for the failures of an agent in a
 * project, with what they caused, the newest first; then the rest.
 */
export function inboxEntries(items: readonly InboxItem[]): readonly InboxEntry[] {
  const cards = items.filter(isCard).toSorted(oldestFirst);
  const failures = Map.groupBy(items.filter(isFailure), agentOf);
  const caused = new Set<InboxItem>();
  const incidents = [...failures].flatMap(([agent, failed]): InboxEntry[] => {
    const newest = failed.toSorted(newestFirst);
    const item = newest.find(({ kind }) => kind === 'failed_run') ?? newest[0];
    if (!item) return [];
    const effects = items.filter((one) => agentOf(one) === agent && isEffect(one, failed));
    for (const one of [...failed, ...effects]) caused.add(one);
    return [{ section: 'incidents', item, others: [...newest, ...effects].filter((one) => one !== item) }];
  });
  const rest = items.filter((item) => !isCard(item) && !caused.has(item));
  return [
    ...cards.map((item): InboxEntry => ({ section: 'cards', item, others: [] })),
    ...incidents.toSorted((a, b) => newestFirst(a.item, b.item)),
    ...rest.toSorted(newestFirst).map((item): InboxEntry => ({ section: 'others', item, others: [] })),
  ];
}

export const itemsOf = ({ item, others }: InboxEntry): readonly InboxItem[] => [item, ...others];

/** A person answers it in its row. */
export const isCard = ({ kind }: Pick<InboxItem, 'kind'>) => kind === 'question' || kind === 'approval';

/** What can be put away; unread messages are read instead. */
export function dismissible(items: readonly InboxItem[]): SeenRef[] {
  return items.flatMap(({ kind, projectId, refId, createdAt }) =>
    kind === 'failed_message' || kind === 'failed_run' || kind === 'blocked_task'
      ? [{ kind, projectId, refId, createdAt }]
      : [],
  );
}

/** As many as one call takes. */
export function inCalls<T>(items: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / MAX_DISMISSED) }, (_none, n) =>
    items.slice(n * MAX_DISMISSED, (n + 1) * MAX_DISMISSED),
  );
}

const isFailure = ({ kind }: InboxItem) => kind === 'failed_run' || kind === 'failed_message';

/** What says the same once more: the message of the system in the chat, the task that it blocked. */
function isEffect(item: InboxItem, failed: readonly InboxItem[]): boolean {
  if (item.kind === 'unread') return true;
  return (
    item.kind === 'blocked_task' &&
    failed.some((one) => Math.abs(timeOf(one) - timeOf(item)) < SAME_MOMENT_MS)
  );
}

const agentOf = ({ projectId, agentId = '' }: InboxItem) => `${projectId} ${agentId}`;
const timeOf = ({ createdAt }: InboxItem) => Date.parse(createdAt);
const oldestFirst = (a: InboxItem, b: InboxItem) => timeOf(a) - timeOf(b) || (a.refId < b.refId ? -1 : 1);
const newestFirst = (a: InboxItem, b: InboxItem) => oldestFirst(b, a);
