import { rowStep } from '../sweep-step.ts';
import {
  CONVERSATION_DEADLINES,
  conversationsDue,
  type DueConversation,
} from './conversation-change-queries.ts';
import { conversationTimes, tickConversation } from './conversation-deadlines.ts';

/** Conversations whose time may be over; the lock and the rule decide. */
export const dueConversations = rowStep<DueConversation>({
  deadlines: CONVERSATION_DEADLINES,
  candidates: async ({ deps }, after, limit) => {
    const { database, clock, settings } = deps;
    const times = await conversationTimes(deps);
    const graceMs = (await settings.current()).conversationNoticeGraceSeconds * 1_000;
    const now = clock.now().getTime();
    return conversationsDue(database.db, {
      pendingBefore: new Date(now - times.pendingTimeoutMs),
      silentBefore: new Date(now - times.timeoutMs),
      unacknowledgedBefore: new Date(now - graceMs),
      after,
      limit,
    });
  },
  nameOf: ({ id }) => id,
  act: ({ deps }, { id }) => tickConversation(deps, id),
});
