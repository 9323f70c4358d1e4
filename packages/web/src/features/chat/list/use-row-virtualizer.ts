import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { type RefObject, useState } from 'react';
import { END_PX } from '../../../lib/near-end.ts';
import type { Row } from './rows.ts';

/** Heights in pixels, until a row is measured. */
const ESTIMATED_HEIGHTS = {
  day: 16,
  unread: 16,
  message: 96,
  question: 32,
  approval: 32,
  conversation: 28,
  cut: 28,
  pending: 62,
  streaming: 96,
} as const;

export type RowVirtualizer = Virtualizer<HTMLDivElement, Element>;

/**
 * Only the rows on the screen are in the document. The list is anchored at its end: rows that are added above do not
 * move what is being read.
 */
export function useRowVirtualizer(rows: readonly Row[], scroller: RefObject<HTMLDivElement | null>) {
  const [isAtEnd, setIsAtEnd] = useState(true);
  const virtualizer: RowVirtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => ESTIMATED_HEIGHTS[rows[index]?.kind ?? 'message'],
    getItemKey: (index) => rows[index]?.key ?? index,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: END_PX,
    overscan: 6,
    paddingStart: 12,
    paddingEnd: 8,
    gap: 16,
    onChange: (instance) => setIsAtEnd(instance.isAtEnd(END_PX)),
  });
  return { virtualizer, isAtEnd };
}
