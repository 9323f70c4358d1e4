import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useStore } from '../../../lib/store.ts';
import type { ChatFeed } from '../timeline/chat-feed.ts';
import { useHoldElement } from './keep-in-place.ts';
import { type Row, rowOfMessage } from './rows.ts';
import { newSince } from './unread.ts';
import { useLoadOlder } from './use-load-older.ts';
import { type RowVirtualizer, useRowVirtualizer } from './use-row-virtualizer.ts';
import { type TargetCard, useScrollToCard, useTargetMessage } from './use-scroll-targets.ts';
import { useStickToEnd } from './use-stick-to-end.ts';

export interface MessageListInput {
  /** The signed-in person. */
  readonly meId: string | undefined;
  readonly feed: ChatFeed;
  readonly rows: readonly Row[];
  /** The message that the address names. */
  readonly targetId: string | undefined;
  readonly targetCard: TargetCard | undefined;
  readonly onAtEnd: (isAtEnd: boolean) => void;
}

/** Older messages are loaded when this few rows are left above the first visible one. */
const LOAD_AHEAD_ROWS = 8;

/** Scrolling, loading of older messages, targets and unfolded messages of the list. */
export function useMessageList({ meId, feed, rows, targetId, targetCard, onAtEnd }: MessageListInput) {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const { isLoaded } = useStore(feed.timeline);
  const { virtualizer, isAtEnd } = useRowVirtualizer(rows, scroller);
  const items = virtualizer.getVirtualItems();
  const isPlaced = useInitialScroll(isLoaded, virtualizer);
  useLoadOlder(feed, isPlaced && (items[0]?.index ?? 0) <= LOAD_AHEAD_ROWS);
  const end = useStickToEnd(scroller, content);
  useStickOnSend(rows, end.stick);
  useEffect(() => onAtEnd(isAtEnd), [isAtEnd, onAtEnd]);
  const newCount = useNewCount(feed, isAtEnd, meId);
  const { release } = end;
  const keepInPlace = useHoldElement(scroller, release);
  const scrollToRow = useCallback(
    (index: number) => {
      release();
      virtualizer.scrollToIndex(index, { align: 'center' });
    },
    [virtualizer, release],
  );
  const { markedId, isMissing } = useTargetMessage(feed, rows, targetId, isLoaded, scrollToRow);
  useScrollToCard(rows, targetCard, isPlaced, scrollToRow);
  const { unfoldedIds, toggle } = useUnfolded((messageId) => {
    // Anchored at the end the list would show the message's last lines: the reader is at its first.
    release();
    requestAnimationFrame(() => virtualizer.scrollToIndex(rowOfMessage(rows, messageId), { align: 'start' }));
  });
  return {
    scroller,
    content,
    virtualizer,
    items,
    isLoaded,
    isPlaced,
    isAtEnd,
    newCount,
    markedId,
    isMissing,
    unfoldedIds,
    toggle,
    keepInPlace,
    onScroll: end.onScroll,
    scrollToEnd: end.stick,
  };
}

/** Once loaded the list starts at its end; true from then on. */
function useInitialScroll(isLoaded: boolean, virtualizer: RowVirtualizer): boolean {
  const [isPlaced, setIsPlaced] = useState(false);
  useLayoutEffect(() => {
    if (!isLoaded || isPlaced) return;
    virtualizer.scrollToEnd();
    setIsPlaced(true);
  }, [isLoaded, isPlaced, virtualizer]);
  return isPlaced;
}

/** What the person sends is brought into view. */
function useStickOnSend(rows: readonly Row[], stick: () => void): void {
  const sendCount = rows.filter(({ kind }) => kind === 'pending').length;
  useEffect(() => {
    if (sendCount > 0) stick();
  }, [sendCount, stick]);
}

/** How many messages of others arrived since the reader scrolled away from the end. */
function useNewCount(feed: ChatFeed, isAtEnd: boolean, meId: string | undefined): number {
  const { messages } = useStore(feed.timeline);
  const lastSeq = messages.at(-1)?.seq ?? 0;
  const [seenSeq, setSeenSeq] = useState(lastSeq);
  useEffect(() => {
    if (isAtEnd) setSeenSeq(lastSeq);
  }, [isAtEnd, lastSeq]);
  return isAtEnd ? 0 : newSince(messages, seenSeq, meId);
}

/** Which long messages are shown whole. */
function useUnfolded(onToggled: (messageId: string) => void) {
  const [unfoldedIds, setUnfoldedIds] = useState<ReadonlySet<string>>(new Set());
  const toggle = (messageId: string) => {
    const next = new Set(unfoldedIds);
    if (!next.delete(messageId)) next.add(messageId);
    setUnfoldedIds(next);
    onToggled(messageId);
  };
  return { unfoldedIds, toggle };
}
