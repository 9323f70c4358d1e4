import { isServed } from './api/is-served.ts';
import { queryClient } from './queries/query-client.ts';

const AGAIN_MS = 2_000;

/**
 * The code of a page. If it cannot be loaded, the router loads the document anew. That must not happen while the server
 * does not answer, nor while something is saved or the person writes: until then the page that is open stays. `isAwaited`:
 * the person still wants to open the page.
 */
export function pageCode<T>(load: () => Promise<T>, isAwaited: () => boolean): () => Promise<T> {
  return () =>
    load().catch(async (error) => {
      let hasWaited = false;
      while (!(await isServed()) || queryClient.isMutating() || isWriting()) {
        hasWaited = true;
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
      if (!hasWaited || !isAwaited()) throw error;
      window.location.reload();
      // Nothing is drawn until then, no error either.
      return new Promise<never>(() => undefined);
    });
}

/** A field may hold what is saved only when it is left. */
function isWriting(): boolean {
  return document.activeElement?.matches('input, textarea, [contenteditable]') === true;
}
