import { createContext, type RefObject, useCallback, useContext } from 'react';

/** Long enough for what is loaded when it is opened for the first time. */
const HELD_MS = 800;
const USER_EVENTS = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const;

type KeepInPlace = (element: Element) => void;
const Context = createContext<KeepInPlace>(() => undefined);
export const KeepInPlaceProvider = Context.Provider;

/** Called before something below the element is folded or unfolded: the element stays where it is on the screen. */
export function useKeepInPlace(): KeepInPlace {
  return useContext(Context);
}

/** The list is anchored at its end: without this, what a person has clicked would move away. */
export function useHoldElement(scroller: RefObject<HTMLElement | null>, release: () => void): KeepInPlace {
  return useCallback(
    (element) => {
      const list = scroller.current;
      if (!list) return;
      const { top } = element.getBoundingClientRect();
      const until = performance.now() + HELD_MS;
      const over = new AbortController();
      for (const name of USER_EVENTS)
        list.addEventListener(name, () => over.abort(), { passive: true, signal: over.signal });
      const hold = () => {
        if (over.signal.aborted || !element.isConnected) return;
        release();
        const moved = element.getBoundingClientRect().top - top;
        if (Math.abs(moved) >= 1) list.scrollTop += moved;
        if (performance.now() < until) requestAnimationFrame(hold);
        else over.abort();
      };
      requestAnimationFrame(hold);
    },
    [scroller, release],
  );
}
