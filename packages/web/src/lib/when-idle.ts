const LATEST_MS = 1_000;
/** Safari does not say when it is idle. */
const INSTEAD_MS = 200;

/** Does what nobody waits for when there is nothing better to do; the returned function takes it back. */
export function whenIdle(work: () => void): () => void {
  if (typeof requestIdleCallback === 'undefined') {
    const timer = setTimeout(work, INSTEAD_MS);
    return () => clearTimeout(timer);
  }
  const id = requestIdleCallback(work, { timeout: LATEST_MS });
  return () => cancelIdleCallback(id);
}
