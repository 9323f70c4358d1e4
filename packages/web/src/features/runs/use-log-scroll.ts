import { useVirtualizer } from '@tanstack/react-virtual';
import { type UIEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';

const LINE_PX = 20;
/** A log that is scrolled to within this distance of its end is followed while it grows. */
const END_PX = 24;

/** Virtual scrolling of `count` lines: follows the end, and shows the line of a match (`hit`). */
export function useLogScroll(count: number, hit: number | undefined) {
  const scroller = useRef<HTMLDivElement>(null);
  const [isAtEnd, setIsAtEnd] = useState(true);
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_PX,
    overscan: 12,
    paddingStart: 8,
    paddingEnd: 8,
  });
  const isFollowing = isAtEnd && hit === undefined;
  useLayoutEffect(() => {
    if (isFollowing && count > 0) virtualizer.scrollToIndex(count - 1, { align: 'end' });
  }, [isFollowing, count, virtualizer]);
  useEffect(() => {
    if (hit !== undefined) virtualizer.scrollToIndex(hit, { align: 'center' });
  }, [hit, virtualizer]);
  return {
    scroller,
    virtualizer,
    isAtEnd,
    onScroll: ({ currentTarget: { scrollHeight, scrollTop, clientHeight } }: UIEvent) =>
      setIsAtEnd(scrollHeight - scrollTop - clientHeight < END_PX),
    scrollToEnd: () => virtualizer.scrollToIndex(count - 1, { align: 'end' }),
  };
}
