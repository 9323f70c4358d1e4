const FIRST_MS = 200;
const MOST_MS = 2_000;

/**
 * Wait before the attempt after `failures` failures in a row: 0.2, 0.4 … 2 s, forever. Own code: what p-retry and
 * exponential-backoff bring is a loop around one call; those that wait here do more between two attempts.
 */
export function backoffMs(failures: number): number {
  return Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 10));
}
