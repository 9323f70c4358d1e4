import { type RefObject, useCallback, useEffect, useRef } from 'react';

/** Closer to the end than this counts as looking at the newest. */
export const END_PX = 48;

/** What a person scrolls with; what follows within this time is his doing. */
const BY_HAND = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const;
const BY_HAND_MS = 400;

interface EndKeeper {
  readonly onScroll: () => void;
  /** To the newest, and there from now on. */
  readonly keep: () => void;
  /** Something else is brought into view. */
  readonly leave: () => void;
}

/**
 * Who looks at the newest still does when anything changes its size: the composer, a phone's keyboard, code that was
 * highlighted, a card or a conversation that came in between. The virtualizer follows only what is added at the end.
 */
export function useKeepEnd(
  scroller: RefObject<HTMLDivElement | null>,
  content: RefObject<HTMLDivElement | null>,
): EndKeeper {
  const isKept = useRef(true);
  const seenHeight = useRef(0);
  const movedAt = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    const element = scroller.current;
    if (!element || !content.current) return;
    const observer = new ResizeObserver(() => {
      seenHeight.current = element.scrollHeight;
      // By hand: the virtualizer may not know the new height yet.
      if (isKept.current) element.scrollTop = element.scrollHeight;
    });
    observer.observe(element);
    observer.observe(content.current);
    const onMove = () => {
      movedAt.current = performance.now();
    };
    for (const name of BY_HAND) element.addEventListener(name, onMove, { passive: true });
    return () => {
      observer.disconnect();
      for (const name of BY_HAND) element.removeEventListener(name, onMove);
    };
  }, [scroller, content]);
  const onScroll = useCallback(() => {
    const element = scroller.current;
    if (!element) return;
    const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight <= END_PX;
    // Rows that are measured move the end, and the virtualizer scrolls to make up for it: that is nobody's wish.
    const isResized = element.scrollHeight !== seenHeight.current;
    seenHeight.current = element.scrollHeight;
    const isMoved = performance.now() - movedAt.current < BY_HAND_MS;
    if (isAtEnd) isKept.current = true;
    else if (!isResized || isMoved) isKept.current = false;
  }, [scroller]);
  const keep = useCallback(() => {
    isKept.current = true;
    if (scroller.current) scroller.current.scrollTop = scroller.current.scrollHeight;
  }, [scroller]);
  const leave = useCallback(() => {
    isKept.current = false;
  }, []);
  return { onScroll, keep, leave };
}
