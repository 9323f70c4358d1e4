import { useSyncExternalStore } from 'react';

function useMediaQuery(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const list = matchMedia(query);
      list.addEventListener('change', listener);
      return () => list.removeEventListener('change', listener);
    },
    () => matchMedia(query).matches,
  );
}

/** Below this a panel is the whole screen and avatars move to the tabs. The breakpoint `sm` of the tokens. */
export const useIsNarrow = (): boolean => useMediaQuery('(width < 640px)');

/** Room for more than the most needed in the top bar. The breakpoint `lg` of the tokens. */
export const useIsWide = (): boolean => useMediaQuery('(width >= 1200px)');
