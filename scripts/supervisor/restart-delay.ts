const delaysMs = [200, 1_000, 5_000, 15_000, 30_000];

/**
 * How long to wait before the next start of something that ended `failures` times before. Own code: as in
 * mcp-client/backoff.ts, the loop around it would not fit.
 */
export function restartDelayMs(failures: number): number {
  return delaysMs[Math.min(failures, delaysMs.length - 1)] ?? 0;
}
