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

/** Panels are full-screen and the avatars move to the page. The breakpoint `sm` of the tokens. */
export const useIsNarrow = (): boolean => useMediaQuery('(width < 640px)');

/** The top bar has room for more avatars. The breakpoint `lg` of the tokens. */
export const useIsWide = (): boolean => useMediaQuery('(width >= 1200px)');

/** There is room for the switcher of projects beside a board and a chat. */
export const useHasRoomForSwitcher = (): boolean => useMediaQuery('(width >= 1600px)');

/** There is room for a column beside a list. The breakpoint `md` of the tokens. */
export const useHasRoomBeside = (): boolean => useMediaQuery('(width >= 900px)');
