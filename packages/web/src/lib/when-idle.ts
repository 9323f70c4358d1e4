const LATEST_MS = 1_000;
/** Safari has no requestIdleCallback. */
const INSTEAD_MS = 200;

/** Runs low-priority work when the browser is idle; the returned function cancels it. */
export function whenIdle(work: () => void): () => void {
  if (typeof requestIdleCallback === 'undefined') {
    const timer = setTimeout(work, INSTEAD_MS);
    return () => clearTimeout(timer);
  }
  const id = requestIdleCallback(work, { timeout: LATEST_MS });
  return () => cancelIdleCallback(id);
}
