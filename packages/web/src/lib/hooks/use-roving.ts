import { type FocusEvent, type KeyboardEvent, type RefObject, useLayoutEffect, useRef } from 'react';

type Step = (at: number, count: number) => number;
const next: Step = (at, count) => (at + 1) % count;
const previous: Step = (at, count) => (at - 1 + count) % count;
const ARROWS: Readonly<Record<'across' | 'down', Readonly<Record<string, Step>>>> = {
  across: { ArrowRight: next, ArrowLeft: previous },
  down: { ArrowDown: next, ArrowUp: previous },
};
const STEPS: Readonly<Record<string, Step>> = {
  Home: () => 0,
  End: (_at, count) => count - 1,
};

interface Roving {
  readonly ref: RefObject<HTMLElement | null>;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly onFocus: (event: FocusEvent) => void;
}

/** One Tab stop for a group of links and buttons: arrow keys, Home and End move inside it. */
export function useRoving(direction: keyof typeof ARROWS = 'across'): Roving {
  const ref = useRef<HTMLElement>(null);
  const last = useRef<Element>(null);
  // After every rendering: which elements there are, and which is current, may have changed.
  useLayoutEffect(() => {
    const stops = stopsOf(ref.current);
    const stop =
      stops.find((one) => one === last.current) ??
      stops.find((one) => one.getAttribute('aria-current') !== null) ??
      stops[0];
    for (const one of stops) one.tabIndex = one === stop ? 0 : -1;
  });
  return {
    ref,
    onKeyDown: (event) => {
      const stops = stopsOf(ref.current);
      const { activeElement } = document;
      const at = activeElement instanceof HTMLElement ? stops.indexOf(activeElement) : -1;
      const step = ARROWS[direction][event.key] ?? STEPS[event.key];
      if (at < 0 || step === undefined || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      stops[step(at, stops.length)]?.focus();
    },
    onFocus: ({ target }) => {
      const stops = stopsOf(ref.current);
      if (!stops.some((one) => one === target)) return;
      last.current = target;
      for (const one of stops) one.tabIndex = one === target ? 0 : -1;
    },
  };
}

/** Not what a menu has opened inside of the group. */
function stopsOf(group: HTMLElement | null): readonly HTMLElement[] {
  const all = group?.querySelectorAll<HTMLElement>('a[href], button') ?? [];
  return [...all].filter((one) => one.closest('[role="menu"]') === null);
}
