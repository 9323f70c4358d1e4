const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** The pauses before the second attempt, the third, and so on; after the last one it has failed. */
const PAUSES_MS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE] as const;
const MAX_PAUSE_MS = 60 * MINUTE;

/** How long until it is tried again after so many attempts; null: not any more. */
export function retryPause(attempts: number, askedMs?: number): number | null {
  const pause = PAUSES_MS[attempts - 1];
  return pause === undefined ? null : Math.min(Math.max(pause, askedMs ?? 0), MAX_PAUSE_MS);
}

/** A channel to which so many messages in a row did not arrive is switched off. */
export const MAX_FAILURES = 10;
