/** Something that waits for a person, as in the answer of the inbox. */
export interface WaitingItem {
  readonly kind:
    | 'question'
    | 'approval'
    | 'failed_message'
    | 'failed_run'
    | 'review'
    | 'proposal'
    | 'blocked_task'
    | 'mention'
    | 'unread';
  readonly projectId: string;
  readonly agentId?: string | undefined;
  readonly refId: string;
  /** Of a mention in a comment. */
  readonly taskTitle?: string | undefined;
  readonly taskId?: string | undefined;
  readonly createdAt: string;
  readonly title: string;
}

/** What can be put away. */
interface DismissibleRef {
  kind: 'failed_message' | 'failed_run' | 'blocked_task' | 'mention';
  projectId: string;
  refId: string;
  createdAt: string;
}

/** MAX_DISMISSED of the contract. */
const ITEMS_PER_CALL = 50;

/**
 * One row of the inbox: a card, everything that one failure has caused, the mentions in a chat or on a task, or one
 * other thing.
 */
export interface InboxEntry {
  readonly section: 'cards' | 'incidents' | 'others';
  /** It names the row. */
  readonly item: WaitingItem;
  /** What the same failure has caused besides; what else is to be read in the same chat. */
  readonly others: readonly WaitingItem[];
}

/** A task that was blocked so shortly before or after the end of a run was blocked by it. */
const SAME_MOMENT_MS = 60_000;

/**
 * Cards by their deadline, which is the order in which they were asked; then one row for the failures of an agent in a
 * project, with what they caused, the newest first; then the rest.
 */
export function inboxEntries(items: readonly WaitingItem[]): readonly InboxEntry[] {
  const cards = items.filter(isCard).toSorted(oldestFirst);
  const failures = Map.groupBy(items.filter(isFailure), agentOf);
  const caused = new Set<WaitingItem>();
  const incidents = [...failures].flatMap(([agent, failed]): InboxEntry[] => {
    const newest = failed.toSorted(newestFirst);
    const item = newest.find(({ kind }) => kind === 'failed_run') ?? newest[0];
    if (!item) return [];
    const effects = items.filter((one) => agentOf(one) === agent && isEffect(one, failed));
    for (const one of [...failed, ...effects]) caused.add(one);
    return [{ section: 'incidents', item, others: [...newest, ...effects].filter((one) => one !== item) }];
  });
  const mentions = mentionEntries(items.filter((item) => !caused.has(item)));
  for (const one of mentions.flatMap(itemsOf)) caused.add(one);
  const rest = items.filter((item) => !isCard(item) && !caused.has(item));
  return [
    ...cards.map((item): InboxEntry => ({ section: 'cards', item, others: [] })),
    ...incidents.toSorted((a, b) => newestFirst(a.item, b.item)),
    ...[...mentions, ...rest.map((item): InboxEntry => ({ section: 'others', item, others: [] }))].toSorted(
      (a, b) => newestFirst(a.item, b.item),
    ),
  ];
}

/** One row for each chat or task: the newest mention leads there, where the others and what is unread are read. */
function mentionEntries(items: readonly WaitingItem[]): readonly InboxEntry[] {
  const places = Map.groupBy(
    items.filter(({ kind }) => kind === 'mention'),
    placeOf,
  );
  return [...places].flatMap(([place, mentions]): InboxEntry[] => {
    const [item, ...older] = mentions.toSorted(newestFirst);
    const unread = items.filter((one) => one.kind === 'unread' && placeOf(one) === place);
    return item ? [{ section: 'others', item, others: [...older, ...unread] }] : [];
  });
}

export const itemsOf = ({ item, others }: InboxEntry): readonly WaitingItem[] => [item, ...others];

/** A person answers it in its row. */
export const isCard = ({ kind }: Pick<WaitingItem, 'kind'>) => kind === 'question' || kind === 'approval';

/** What can be put away; unread messages are read instead. */
export function dismissible(items: readonly WaitingItem[]): DismissibleRef[] {
  return items.flatMap(({ kind, projectId, refId, createdAt }) =>
    kind === 'failed_message' || kind === 'failed_run' || kind === 'blocked_task' || kind === 'mention'
      ? [{ kind, projectId, refId, createdAt }]
      : [],
  );
}

/** As many as one call takes. */
export function inCalls<T>(items: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / ITEMS_PER_CALL) }, (_none, n) =>
    items.slice(n * ITEMS_PER_CALL, (n + 1) * ITEMS_PER_CALL),
  );
}

const isFailure = ({ kind }: WaitingItem) => kind === 'failed_run' || kind === 'failed_message';

/** What says the same once more: the message of the system in the chat, the task that it blocked. */
function isEffect(item: WaitingItem, failed: readonly WaitingItem[]): boolean {
  if (item.kind === 'unread') return true;
  return (
    item.kind === 'blocked_task' &&
    failed.some((one) => Math.abs(timeOf(one) - timeOf(item)) < SAME_MOMENT_MS)
  );
}

const agentOf = ({ projectId, agentId = '' }: WaitingItem) => `${projectId} ${agentId}`;
/** The chat or the task. */
const placeOf = (item: WaitingItem) => (item.taskId === undefined ? agentOf(item) : `task ${item.taskId}`);
const timeOf = ({ createdAt }: WaitingItem) => Date.parse(createdAt);
const oldestFirst = (a: WaitingItem, b: WaitingItem) => timeOf(a) - timeOf(b) || (a.refId < b.refId ? -1 : 1);
const newestFirst = (a: WaitingItem, b: WaitingItem) => oldestFirst(b, a);
