import type { Conversation } from '@aizuchi/shared/contract/conversation';
import type { InfiniteData } from '@tanstack/react-query';

/** Conversations newest first, as the server lists them. */
export interface ConversationPage {
  readonly conversations: readonly Conversation[];
  readonly nextCursor: string | null;
}
export type ConversationPages = InfiniteData<ConversationPage, string | undefined>;

const ORDER = { pending: 0, active: 1, terminating: 2, ended: 3, expired: 3 } as const;

/** A conversation only moves forward: the response to a stop may arrive after a frame that is newer. */
export function newerOf(known: Conversation, received: Conversation): Conversation {
  return ORDER[received.state] < ORDER[known.state] || received.messageCount < known.messageCount
    ? known
    : received;
}

/**
 * Replaces the conversation, or adds a new one on top. One that is older than the loaded pages comes with its page.
 */
export function withConversation(data: ConversationPages, received: Conversation): ConversationPages {
  const pageIndex = data.pages.findIndex(({ conversations }) =>
    conversations.some(({ id }) => id === received.id),
  );
  const page = data.pages[pageIndex];
  if (page) {
    const conversations = page.conversations.map((one) =>
      one.id === received.id ? newerOf(one, received) : one,
    );
    return { ...data, pages: data.pages.with(pageIndex, { ...page, conversations }) };
  }
  const [first, ...rest] = data.pages;
  const newest = first?.conversations[0];
  if (!first || (newest && newest.createdAt > received.createdAt)) return data;
  return { ...data, pages: [{ ...first, conversations: [received, ...first.conversations] }, ...rest] };
}
