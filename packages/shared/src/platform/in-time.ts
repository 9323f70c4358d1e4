import { setTimeout as delay } from 'node:timers/promises';

/** What the work has come to in this time, else undefined: then it goes on. Rejects when the work does in that time. */
export async function inTime<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const over = new AbortController();
  const tooLate = delay(ms, undefined, { signal: over.signal }).catch(() => undefined);
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    over.abort();
  }
}
