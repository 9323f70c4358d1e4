import type { Queryable } from '../../platform/db/database.ts';
import type { EventRow } from './event-queries.ts';
import { messagesOfTurn } from './follow/follower-queries.ts';
import { messageOfRef } from './rules/message-ref.ts';

/** The messages that this event was made of: what was searched for them holds its words. */
export async function messagesOfEvent(
  db: Queryable,
  { source, sourceRef }: Pick<EventRow, 'source' | 'sourceRef'>,
): Promise<string[]> {
  const isSaid = source === 'chat' || source === 'agent_conversation';
  const messageId = isSaid && sourceRef !== null ? messageOfRef(sourceRef) : undefined;
  return messageId === undefined ? [] : messagesOfTurn(db, messageId);
}
