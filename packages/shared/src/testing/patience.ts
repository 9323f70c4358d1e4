/** For what is waited for half a second only: a test on a busy machine means the thing, not the clock. */
export const LONG_TIMEOUT_MS = 20_000;

/**
 * When a random search begins no further run. How many there were says nothing, and what a quiet machine does in ten
 * seconds takes a busy one minutes.
 */
export const SEARCH_MS = 40_000;
