import type { Clock } from '../../platform/clock.ts';

const CHECK_EVERY_MS = 1_000;

/** Ends when it is no longer allowed: a stream lasts longer than the rights that it began with. */
export async function* whileAllowed<T>(
  frames: AsyncIterable<T>,
  clock: Clock,
  isAllowed: () => Promise<boolean>,
): AsyncGenerator<T> {
  let checkedAt = clock.now().getTime();
  for await (const frame of frames) {
    const now = clock.now().getTime();
    if (now - checkedAt >= CHECK_EVERY_MS) {
      if (!(await isAllowed())) return;
      checkedAt = now;
    }
    yield frame;
  }
}
