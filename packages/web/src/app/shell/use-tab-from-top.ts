import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';

/**
 * On another page Tab begins at the top, as after a load. Without this the browser goes on where the link was that led
 * here, in the middle of the new page. An element that still has the focus keeps it.
 */
export function useTabFromTop(): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe('onRendered', ({ pathChanged }) => {
        const { activeElement, body } = document;
        if (!pathChanged || (activeElement !== null && activeElement !== body)) return;
        // The browser remembers the last element that had the focus, also when it can have it no longer.
        body.tabIndex = -1;
        body.focus({ preventScroll: true });
        body.removeAttribute('tabindex');
      }),
    [router],
  );
}
