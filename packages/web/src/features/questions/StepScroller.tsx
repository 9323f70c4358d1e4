import { type ReactNode, useEffect, useRef } from 'react';

interface StepScrollerProps {
  readonly step: number;
  readonly onStep: (step: number) => void;
  readonly children: ReactNode;
}

/**
 * The steps side by side, one in view: touch, Tab and the browser's search reach the others by scrolling. The step in
 * view becomes the current one, whatever scrolled to it.
 */
export function StepScroller({ step, onStep, children }: StepScrollerProps) {
  const scroller = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = scroller.current;
    if (element && shownStep(element) !== step) element.scrollLeft = step * element.clientWidth;
  }, [step]);
  return (
    <div
      ref={scroller}
      onScroll={({ currentTarget }) => {
        const shown = shownStep(currentTarget);
        if (shown !== undefined && shown !== step) onStep(shown);
      }}
      className="flex snap-x snap-mandatory items-start overflow-x-auto overscroll-x-contain [scrollbar-width:none]"
    >
      {children}
    </div>
  );
}

/** Undefined between two steps. */
function shownStep({ scrollLeft, clientWidth }: HTMLElement): number | undefined {
  if (clientWidth === 0) return undefined;
  const position = scrollLeft / clientWidth;
  const nearest = Math.round(position);
  return Math.abs(position - nearest) < 0.1 ? nearest : undefined;
}
