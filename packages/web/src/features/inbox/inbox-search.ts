export const FILTERS = [
  'question',
  'approval',
  'review',
  'failure',
  'blocked_task',
  'mention',
  'unread',
] as const;
export type Filter = (typeof FILTERS)[number];

/** The filters of the inbox; they are in the address. */
export interface InboxSearch {
  readonly kind?: Filter;
  readonly project?: string;
  /** What was put away, instead of what waits. */
  readonly list?: 'put-away';
}

export function readInboxSearch({ kind, project, list }: Record<string, unknown>): InboxSearch {
  if (list === 'put-away') return { list };
  const filter = FILTERS.find((one) => one === kind);
  return {
    ...(filter && { kind: filter }),
    ...(typeof project === 'string' && project !== '' && { project }),
  };
}
