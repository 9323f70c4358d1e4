import { useEffect, useRef, useState } from 'react';
import type { ChatFeed } from '../timeline/chat-feed.ts';
import { type Row, rowOfMessage } from './rows.ts';

export interface TargetCard {
  /** The key of the row of a question or an approval. */
  readonly key: string;
  /** Counts the requests, so that the same card can be shown again. */
  readonly asked: number;
}

type ScrollToRow = (index: number) => void;

/** Scrolls once to the message that the address names, and marks it. Older pages are loaded until it is found. */
export function useTargetMessage(
  feed: ChatFeed,
  rows: readonly Row[],
  targetId: string | undefined,
  isLoaded: boolean,
  scrollToRow: ScrollToRow,
): { readonly markedId: string | undefined; readonly isMissing: boolean } {
  const [found, setFound] = useState<{ readonly id: string; readonly exists: boolean }>();
  const shownId = useRef<string>(undefined);
  useEffect(() => {
    if (targetId === undefined || !isLoaded) return;
    let isCancelled = false;
    void feed.find(targetId).then((exists) => {
      if (!isCancelled) setFound({ id: targetId, exists });
    });
    return () => {
      isCancelled = true;
    };
  }, [feed, targetId, isLoaded]);
  const isFound = found !== undefined && found.id === targetId;
  // Without dependencies: the row may be added some renders after the message was found.
  useEffect(() => {
    if (!isFound || !found.exists || shownId.current === found.id) return;
    const index = rowOfMessage(rows, found.id);
    if (index < 0) return;
    shownId.current = found.id;
    scrollToRow(index);
  });
  return { markedId: isFound && found.exists ? found.id : undefined, isMissing: isFound && !found.exists };
}

/** Scrolls to the card once for each request, as soon as its row is there. */
export function useScrollToCard(
  rows: readonly Row[],
  target: TargetCard | undefined,
  isReady: boolean,
  scrollToRow: ScrollToRow,
): void {
  const index = rows.findIndex(({ key }) => key === target?.key);
  const shown = useRef<TargetCard>(undefined);
  useEffect(() => {
    if (!isReady || index < 0 || shown.current === target) return;
    shown.current = target;
    scrollToRow(index);
  }, [isReady, index, target, scrollToRow]);
}
