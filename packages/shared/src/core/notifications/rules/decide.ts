import type { InboxEntry, WaitingItem } from '../../inbox/rules/inbox-entries.ts';
import { type Category, categoryOf, keyOf, readBefore } from './categories.ts';
import { type QuietHours, quietUntil } from './quiet-hours.ts';

/*
 *                 ┌─ due, looked at or not wanted ─▶ passed ─┐
 *  seen ▶ waiting ┼─ due ─────────────────────────▶ told ────┼─ gone from the inbox ▶ over
 *                 └─ gone from the inbox ────────────────────┘
 *
 * What was told is not told again while it is open. A failure that returns shortly after it was over is still told.
 */
export type NotificationState = 'waiting' | 'told' | 'passed' | 'over';

export interface KnownNotification {
  readonly key: string;
  readonly category: Category;
  readonly projectId: string;
  readonly agentId: string | null;
  readonly state: NotificationState;
  readonly dueAt: Date | null;
  readonly toldAt: Date | null;
  readonly overAt: Date | null;
}

/** Who answers within this time is told nothing; what heals by itself is not told either. */
const DELAY_MS: Readonly<Record<Category, number>> = {
  question: 5_000,
  approval: 5_000,
  review: 10_000,
  failure: 20_000,
  blocked: 10_000,
  mention: 10_000,
  answer: 10_000,
};
/** An agent that crashes, starts and crashes again is one incident. */
const SAME_INCIDENT_MS = 10 * 60_000;
/** How often it is looked whether a person who saw a card has left without an answer. */
const LOOK_AGAIN_MS = 15_000;

export interface Opened extends Omit<KnownNotification, 'overAt'> {
  readonly overAt: null;
}

/** What of the inbox is new, and what is gone from it. `isComplete` false: the inbox is longer than what was read. */
export function compare(
  entries: readonly InboxEntry[],
  known: ReadonlyMap<string, KnownNotification>,
  at: { readonly now: Date; readonly since: Date; readonly isComplete: boolean },
): { readonly opened: readonly Opened[]; readonly over: readonly string[] } {
  const items = entries.flatMap(({ item, others }) => [item, ...others]);
  const present = new Set(items.map(keyOf));
  // Of a long inbox the last category is cut, and those after it were not read: what is not there may still wait.
  const whole = at.isComplete ? undefined : readBefore(items.map(categoryOf));
  const isOpen = (key: string) => (known.get(key)?.state ?? 'over') !== 'over';
  return {
    opened: entries.flatMap(({ item }) => {
      const key = keyOf(item);
      return isOpen(key) ? [] : [opened(item, known.get(key), at)];
    }),
    over: [...known.values()]
      .filter(({ key, category }) => isOpen(key) && !present.has(key) && (whole?.has(category) ?? true))
      .map(({ key }) => key),
  };
}

function opened(
  item: WaitingItem,
  before: KnownNotification | undefined,
  { now, since }: { readonly now: Date; readonly since: Date },
): Opened {
  const category = categoryOf(item);
  const base = { key: keyOf(item), category, projectId: item.projectId, agentId: item.agentId ?? null };
  if (before?.toldAt && before.overAt && category === 'failure')
    if (now.getTime() - before.overAt.getTime() < SAME_INCIDENT_MS)
      return { ...base, state: 'told', dueAt: null, toldAt: before.toldAt, overAt: null };
  if (Date.parse(item.createdAt) < since.getTime())
    return { ...base, state: 'passed', dueAt: null, toldAt: null, overAt: null };
  const dueAt = new Date(now.getTime() + DELAY_MS[category]);
  return { ...base, state: 'waiting', dueAt, toldAt: null, overAt: null };
}

export interface Wishes {
  readonly rules: Readonly<Record<Category, { readonly sends: boolean; readonly inQuiet: boolean }>>;
  readonly quiet: QuietHours | null;
}

/** Where a person looks; `projectId` null: the inbox, which shows all projects. */
export interface Attention {
  readonly projectId: string | null;
}

export type DueOutcome = 'tell' | 'pass' | { readonly later: Date };

/** What becomes of a notification whose time has come. */
export function decideDue(
  { category, projectId }: Pick<KnownNotification, 'category' | 'projectId'>,
  wishes: Wishes,
  attention: readonly Attention[],
  now: Date,
): DueOutcome {
  const rule = wishes.rules[category];
  if (!rule.sends) return 'pass';
  if (attention.some((at) => at.projectId === null || at.projectId === projectId))
    // A card still waits when the person leaves without an answer; everything else was seen.
    return isCard(category) ? { later: new Date(now.getTime() + LOOK_AGAIN_MS) } : 'pass';
  const until = rule.inQuiet ? null : quietUntil(wishes.quiet, now);
  return until === null ? 'tell' : { later: until };
}

/** The messages to one channel: each card by itself, so that it can be answered, the rest in one. */
export function messagesFor(
  told: readonly Pick<KnownNotification, 'key' | 'category'>[],
  categories: readonly Category[],
): readonly (readonly string[])[] {
  const wanted = told.filter(({ category }) => categories.includes(category));
  const rest = wanted.filter(({ category }) => !isCard(category)).map(({ key }) => key);
  return [
    ...wanted.filter(({ category }) => isCard(category)).map(({ key }) => [key]),
    ...(rest.length > 0 ? [rest] : []),
  ];
}

const isCard = (category: Category) => category === 'question' || category === 'approval';
