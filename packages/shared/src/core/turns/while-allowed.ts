import type { Clock } from '../../platform/clock.ts';

const CHECK_EVERY_MS = 1_000;
/** A database that is away for so long ends the stream: nobody knows any more who may read it. */
const MAX_UNKNOWN_MS = 10_000;

/**
 * Ends when it is no longer allowed: a stream lasts longer than the rights that it began with. A check that fails is made
 * again, and the stream goes on meanwhile.
 */
export async function* whileAllowed<T>(
  frames: AsyncIterable<T>,
  clock: Clock,
  isAllowed: () => Promise<boolean>,
): AsyncGenerator<T> {
  let allowedAt = clock.now().getTime();
  let checkedAt = allowedAt;
  for await (const frame of frames) {
    const now = clock.now().getTime();
    if (now - checkedAt >= CHECK_EVERY_MS) {
      checkedAt = now;
      try {
        if (!(await isAllowed())) return;
        allowedAt = now;
      } catch (error) {
        if (now - allowedAt >= MAX_UNKNOWN_MS) throw error;
      }
    }
    yield frame;
  }
}
