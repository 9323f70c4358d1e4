import type { WaitingItem } from '../../inbox/rules/inbox-entries.ts';

/** What a person can choose about, in the order of the settings. */
export const CATEGORIES = [
  'question',
  'approval',
  'review',
  'failure',
  'blocked',
  'mention',
  'answer',
] as const;
export type Category = (typeof CATEGORIES)[number];

const CATEGORY_OF: Readonly<Record<WaitingItem['kind'], Category>> = {
  question: 'question',
  approval: 'approval',
  review: 'review',
  proposal: 'review',
  failed_message: 'failure',
  failed_run: 'failure',
  blocked_task: 'blocked',
  mention: 'mention',
  unread: 'answer',
};

export function categoryOf({ kind }: Pick<WaitingItem, 'kind'>): Category {
  return CATEGORY_OF[kind];
}

/**
 * What it is, so that it is told once: a card or a task by its id; failures, mentions, and answers that were not read, by
 * agent (mentions in comments by task) and project, because one that follows belongs to the same row of the inbox.
 */
export function keyOf(
  item: Pick<WaitingItem, 'kind' | 'projectId' | 'agentId' | 'refId' | 'taskId'>,
): string {
  const { kind, projectId, agentId, refId, taskId } = item;
  if (kind === 'failed_run' || kind === 'failed_message' || kind === 'mention' || kind === 'unread')
    return `${categoryOf(item)}:${projectId}/${taskId ?? agentId ?? ''}`;
  return `${kind}:${refId}`;
}

/** The order in which an inbox is read. Questions and approvals are read together. */
const READ_ORDER: Readonly<Record<Category, number>> = {
  question: 0,
  approval: 0,
  review: 1,
  failure: 2,
  blocked: 3,
  mention: 4,
  answer: 5,
};

/** The categories that were read to their end when the limit was reached with these. */
export function readBefore(categories: readonly Category[]): ReadonlySet<Category> {
  const last = Math.max(...categories.map((category) => READ_ORDER[category]));
  return new Set(CATEGORIES.filter((category) => READ_ORDER[category] < last));
}
