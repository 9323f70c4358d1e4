const FIRST_MS = 200;
const MAX_MS = 2_000;

/**
 * Wait before the attempt after `failures` failures in a row: 0.2, 0.4 … 2 s, without end. Own code: p-retry
 * and exponential-backoff provide a loop around one call; our callers do more between two attempts.
 */
export function backoffMs(failures: number): number {
  return Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(failures - 1, 10));
}
