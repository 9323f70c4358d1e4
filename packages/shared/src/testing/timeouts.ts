/**
 * For waits that are half a second in the product: a test on a busy machine checks the result, not the time.
 */
export const LONG_TIMEOUT_MS = 60_000;

/**
 * The time after which a random search begins no further run. The number of runs has no meaning: a busy
 * machine needs minutes for what a quiet one does in ten seconds.
 */
export const SEARCH_MS = 40_000;
