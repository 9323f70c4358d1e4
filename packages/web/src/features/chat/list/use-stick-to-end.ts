import { type RefObject, useCallback, useEffect, useRef } from 'react';
import { END_PX } from '../../../lib/near-end.ts';

/** The events of a person who scrolls; a scroll event within this time after one of them is the person's own. */
const USER_SCROLL_EVENTS = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const;
const USER_SCROLL_MS = 400;

export interface StickToEnd {
  readonly onScroll: () => void;
  /** Scrolls to the newest row and keeps it in view. */
  readonly stick: () => void;
  /** Something else is brought into view: the end is no longer followed. */
  readonly release: () => void;
}

/**
 * Keeps the end in view whenever the size of anything changes: the composer, a phone's keyboard, highlighted code, a
 * card or a conversation that is inserted. The virtualizer by itself follows only rows that are added at the end.
 */
export function useStickToEnd(
  scroller: RefObject<HTMLDivElement | null>,
  content: RefObject<HTMLDivElement | null>,
): StickToEnd {
  const isSticking = useRef(true);
  const lastHeight = useRef(0);
  const lastUserEventAt = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    const element = scroller.current;
    if (!element || !content.current) return;
    const observer = new ResizeObserver(() => {
      lastHeight.current = element.scrollHeight;
      // Not by the virtualizer: it may not know the new height yet.
      if (isSticking.current) element.scrollTop = element.scrollHeight;
    });
    observer.observe(element);
    observer.observe(content.current);
    const onUserEvent = () => {
      lastUserEventAt.current = performance.now();
    };
    for (const name of USER_SCROLL_EVENTS) element.addEventListener(name, onUserEvent, { passive: true });
    return () => {
      observer.disconnect();
      for (const name of USER_SCROLL_EVENTS) element.removeEventListener(name, onUserEvent);
    };
  }, [scroller, content]);
  const onScroll = useCallback(() => {
    const element = scroller.current;
    if (!element) return;
    const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight <= END_PX;
    // When rows are measured the end moves, and the virtualizer scrolls to compensate: the person did not scroll.
    const isResized = element.scrollHeight !== lastHeight.current;
    lastHeight.current = element.scrollHeight;
    const isByUser = performance.now() - lastUserEventAt.current < USER_SCROLL_MS;
    if (isAtEnd) isSticking.current = true;
    else if (!isResized || isByUser) isSticking.current = false;
  }, [scroller]);
  const stick = useCallback(() => {
    isSticking.current = true;
    if (scroller.current) scroller.current.scrollTop = scroller.current.scrollHeight;
  }, [scroller]);
  const release = useCallback(() => {
    isSticking.current = false;
  }, []);
  return { onScroll, stick, release };
}
