import type { InboxItem } from '@aizuchi/shared/contract/inbox';

/** What the agent itself says why it could not answer, and what to do; the chat says it beside the message. */
export function ownReason({ failure }: Pick<InboxItem, 'failure'>): string | undefined {
  const reason = failure?.code === 'turn_failed' ? failure.params.reason : undefined;
  return typeof reason === 'string' && reason !== '' ? reason : undefined;
}
