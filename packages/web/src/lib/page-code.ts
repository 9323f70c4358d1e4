import { isServed } from './api/is-served.ts';
import { backoffMs } from './backoff.ts';
import { delay } from './delay.ts';
import { queryClient } from './queries/query-client.ts';

const WAITS = { firstMs: 1_000, longestMs: 10_000 };

/**
 * The code of a page. If it cannot be loaded, the router loads the document anew. That must not happen while the server
 * does not answer, nor while something is saved or the person writes: until then the page that is open stays. `isAwaited`: the person still
 * wants to open the page.
 */
export function pageCode<T>(load: () => Promise<T>, isAwaited: () => boolean): () => Promise<T> {
  return () =>
    load().catch(async (error: unknown) => {
      let failures = 0;
      while (!(await isServed()) || queryClient.isMutating() > 0 || isWriting())
        await delay(backoffMs(failures++, WAITS));
      if (failures === 0 || !isAwaited()) throw error;
      window.location.reload();
      return new Promise<never>(() => undefined);
    });
}

/** A field may hold what is saved only when it is left. */
function isWriting(): boolean {
  return document.activeElement?.matches('input, textarea, [contenteditable]') === true;
}
