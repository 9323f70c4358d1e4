import { setTimeout as delay } from 'node:timers/promises';

/** False when the work was not done in this time. It goes on all the same. Rejects when the work does in that time. */
export async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  const over = new AbortController();
  const tooLate = delay(ms, false, { signal: over.signal }).catch(() => false);
  try {
    return await Promise.race([work.then(() => true), tooLate]);
  } finally {
    over.abort();
  }
}
