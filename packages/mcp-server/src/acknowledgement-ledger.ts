import type { Logger } from '@aizuchi/shared/platform/logger';
import type { Exchange } from './exchange.ts';

/**
 * A client that reads needs less time for any answer; a client that does not read cannot delay the next call.
 */
const TIMEOUT_MS = 1_000;

/**
 * Something that was offered becomes acknowledged when the response that carries it has been written to a
 * live connection. The next call of the session waits for that. Otherwise it could be offered again what its
 * client has just read.
 */
export class AcknowledgementLedger {
  readonly #logger: Logger;
  readonly #pending = new Map<string, Set<Promise<void>>>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /**
   * `record` runs when `exchange` has been delivered. When the client has left, the offer remains and is
   * repeated.
   */
  expect(sessionId: string, exchange: Exchange, record: () => Promise<void>): void {
    const recording = this.#record(sessionId, exchange, record).finally(() => {
      const open = this.#pending.get(sessionId);
      open?.delete(recording);
      if (open?.size === 0) this.#pending.delete(sessionId);
    });
    const open = this.#pending.get(sessionId);
    if (open) open.add(recording);
    else this.#pending.set(sessionId, new Set([recording]));
  }

  /**
   * Waits until everything that was sent to this session is recorded as acknowledged; false when there was
   * nothing.
   */
  async settled(sessionId: string): Promise<boolean> {
    const open = this.#pending.get(sessionId);
    if (!open) return false;
    const timeout = Promise.withResolvers<void>();
    const timer = setTimeout(timeout.resolve, TIMEOUT_MS);
    await Promise.race([Promise.all(open), timeout.promise]);
    clearTimeout(timer);
    return true;
  }

  /** Waits for all sessions, at the end of the process. */
  async drained(): Promise<void> {
    await Promise.all([...this.#pending.values()].flatMap((open) => [...open]));
  }

  async #record(sessionId: string, exchange: Exchange, record: () => Promise<void>): Promise<void> {
    if (!(await exchange.delivered)) return;
    try {
      await record();
    } catch (error) {
      // It is still only offered: the session is given it again, marked as repeated.
      this.#logger.warn({ err: error, sessionId }, 'could not record what was acknowledged');
    }
  }
}
