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
   * `tell` runs when `exchange` has been delivered. When the client has left, the offer remains and is
   * repeated.
   */
  expect(sessionId: string, exchange: Exchange, tell: () => Promise<void>): void {
    const telling = this.#tell(sessionId, exchange, tell).finally(() => {
      const open = this.#pending.get(sessionId);
      open?.delete(telling);
      if (open?.size === 0) this.#pending.delete(sessionId);
    });
    const open = this.#pending.get(sessionId);
    if (open) open.add(telling);
    else this.#pending.set(sessionId, new Set([telling]));
  }

  /**
   * Waits until everything that was sent to this session is recorded as acknowledged; false when there was
   * nothing.
   */
  async settled(sessionId: string): Promise<boolean> {
    const open = this.#pending.get(sessionId);
    if (!open) return false;
    const patience = Promise.withResolvers<void>();
    const timer = setTimeout(patience.resolve, TIMEOUT_MS);
    await Promise.race([Promise.all(open), patience.promise]);
    clearTimeout(timer);
    return true;
  }

  /** Waits for all sessions, at the end of the process. */
  async drained(): Promise<void> {
    await Promise.all([...this.#pending.values()].flatMap((open) => [...open]));
  }

  async #tell(sessionId: string, exchange: Exchange, tell: () => Promise<void>): Promise<void> {
    if (!(await exchange.delivered)) return;
    try {
      await tell();
    } catch (error) {
      // It is still only offered: the session is given it again, marked as repeated.
      this.#logger.warn({ err: error, sessionId }, 'could not record what was told');
    }
  }
}
