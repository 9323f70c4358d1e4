import { type ReactNode, useEffect, useRef } from 'react';

interface StepScrollerProps {
  readonly step: number;
  readonly onStep: (step: number) => void;
  readonly children: ReactNode;
}

/**
 * Side by side, one on the screen: a finger, Tab and what looks for an option reach the others by scrolling. Which one
 * is shown is the step, whoever scrolled.
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

/** Undefined between two of them. */
function shownStep({ scrollLeft, clientWidth }: HTMLElement): number | undefined {
  if (clientWidth === 0) return undefined;
  const position = scrollLeft / clientWidth;
  const nearest = Math.round(position);
  return Math.abs(position - nearest) < 0.1 ? nearest : undefined;
}
