import { type RefObject, useCallback, useEffect, useRef } from 'react';

/** Closer to the end than this counts as looking at the newest. */
export const END_PX = 48;

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
  // As of the last scroll: a change of size alone moves the end away without one.
  const isKept = useRef(true);
  useEffect(() => {
    const element = scroller.current;
    if (!element || !content.current) return;
    const observer = new ResizeObserver(() => {
      // By hand: the virtualizer may not know the new height yet.
      if (isKept.current) element.scrollTop = element.scrollHeight;
    });
    observer.observe(element);
    observer.observe(content.current);
    return () => observer.disconnect();
  }, [scroller, content]);
  const onScroll = useCallback(() => {
    const element = scroller.current;
    if (!element) return;
    isKept.current = element.scrollHeight - element.scrollTop - element.clientHeight <= END_PX;
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
