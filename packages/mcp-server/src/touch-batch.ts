import type { Logger } from '@aizuchi/shared/platform/logger';

const FLUSH_INTERVAL_MS = 5_000;

/**
 * Writes last_seen_at of the sessions that called, in batches: a poll must not cost a write each time. Own
 * code: a debounce moves its moment with each call and keeps the last argument only.
 */
export class TouchBatch {
  readonly #touch: (sessionIds: string[]) => Promise<void>;
  readonly #logger: Logger;
  #seen = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(touch: (sessionIds: string[]) => Promise<void>, logger: Logger) {
    this.#touch = touch;
    this.#logger = logger;
  }

  add(sessionId: string): void {
    this.#seen.add(sessionId);
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_INTERVAL_MS);
  }

  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const seen = [...this.#seen];
    this.#seen = new Set();
    if (seen.length === 0) return;
    try {
      await this.#touch(seen);
    } catch (error) {
      // The next call of each session is written again.
      this.#logger.warn({ err: error }, 'could not record when sessions were last seen');
    }
  }
}
