import type { Message } from '@aizuchi/shared/contract/chat';
import type { StreamedAnswer, Timeline } from './timeline-state.ts';

export function isKnown({ messages }: Pick<Timeline, 'messages'>, messageId: string): boolean {
  return messages.some(({ id }) => id === messageId);
}

/** Older than the oldest loaded message: a later page will bring it together with its neighbours. */
export function isNotLoaded({ messages: [oldest], hasOlder }: Timeline, { seq }: Message): boolean {
  return hasOlder && oldest !== undefined && seq < oldest.seq;
}

/** Replaces the message, or inserts it by its seq. `answered` is final and is never undone. */
export function withMessage(messages: readonly Message[], message: Message): readonly Message[] {
  let index = messages.length;
  for (; index > 0; index -= 1) {
    const one = messages[index - 1];
    if (one === undefined || one.seq < message.seq) break;
    if (one.id !== message.id) continue;
    const isStale = one.state === 'answered' && message.state !== 'answered';
    return isStale ? messages : messages.with(index - 1, message);
  }
  return messages.toSpliced(index, 0, message);
}

/** The same for a whole page, in one pass. */
export function mergedMessages(known: readonly Message[], fresh: readonly Message[]): readonly Message[] {
  const byId = new Map(known.map((message) => [message.id, message]));
  for (const message of fresh)
    if (byId.get(message.id)?.state !== 'answered' || message.state === 'answered')
      byId.set(message.id, message);
  return [...byId.values()].sort((a, b) => a.seq - b.seq);
}

/** Without the answers whose message has arrived. */
export function withoutComplete(
  streaming: readonly StreamedAnswer[],
  messages: readonly Message[],
): readonly StreamedAnswer[] {
  if (streaming.length === 0) return streaming;
  const rest = streaming.filter(({ messageId }) => !isKnown({ messages }, messageId));
  return rest.length === streaming.length ? streaming : rest;
}

/** Once a message is loaded, its frames change it in the list. */
export function withoutLoaded(
  notLoaded: Timeline['notLoaded'],
  messages: readonly Message[],
): Timeline['notLoaded'] {
  const rest = { ...notLoaded };
  for (const { id } of messages) delete rest[id];
  return rest;
}

/** The later one of the synced message and the last message of the page. */
export function laterSyncedId(
  messages: readonly Message[],
  syncedId: string | undefined,
  page: readonly Message[],
): string | undefined {
  const last = page.at(-1);
  if (!last) return syncedId;
  const synced = messages.find(({ id }) => id === syncedId);
  return synced && synced.seq > last.seq ? synced.id : last.id;
}

/** A failed message may be sent again from another tab; further back than this that is not looked for. */
const RECENT_COUNT = 50;

/**
 * Where a catch-up starts: after the last synced message, or before the oldest message whose state may have changed
 * meanwhile. When that is the first message of all, it must be read by itself (`isOldest`). Undefined: nothing is
 * loaded yet, the newest page is to be read.
 */
export function catchUpFrom({
  messages,
  syncedId,
}: Timeline): { readonly after: string; readonly isOldest: boolean } | undefined {
  const isOpen = ({ state, sender }: Message) =>
    sender === 'user' && (state === 'stored' || state === 'delivered');
  const recent = Math.max(0, messages.length - RECENT_COUNT);
  const open = messages.findIndex(
    (message, index) => isOpen(message) || (index >= recent && message.state === 'failed'),
  );
  const synced = messages.findIndex(({ id }) => id === syncedId);
  if (synced < 0 || syncedId === undefined) return undefined;
  if (open < 0 || open > synced) return { after: syncedId, isOldest: false };
  return { after: messages[Math.max(0, open - 1)]?.id ?? syncedId, isOldest: open === 0 };
}
