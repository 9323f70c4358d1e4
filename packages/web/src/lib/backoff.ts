export interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** The exponential delay after so many failures before this one (0: the first), in milliseconds. */
export function backoffMs(failures: number, { firstMs, longestMs }: Backoff): number {
  return Math.min(firstMs * 2 ** failures, longestMs);
}
