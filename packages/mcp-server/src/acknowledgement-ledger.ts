import type { Logger } from '@aizuchi/shared/platform/logger';
import type { Exchange } from './exchange.ts';

/** Longer than any answer needs to a client that reads; a client that does not read cannot hold up the next. */
const TIMEOUT_MS = 1_000;

/**
 * What was offered becomes told when the response that carries it was written to a live connection. The session's
 * next call waits for that, else it could be offered again what its client has just read.
 */
export class AcknowledgementLedger {
  readonly #logger: Logger;
  readonly #pending = new Map<string, Set<Promise<void>>>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** `tell` runs when `exchange` has been delivered; when its client left, the offer stands and is repeated. */
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

  /** Waits for what is being told to this session; false when there was nothing. */
  async settled(sessionId: string): Promise<boolean> {
    const open = this.#pending.get(sessionId);
    if (!open) return false;
    const patience = Promise.withResolvers<void>();
    const timer = setTimeout(patience.resolve, TIMEOUT_MS);
    await Promise.race([Promise.all(open), patience.promise]);
    clearTimeout(timer);
    return true;
  }

  /** Everything that is still being told, for the end of the process. */
  async drained(): Promise<void> {
    await Promise.all([...this.#pending.values()].flatMap((open) => [...open]));
  }

  async #tell(sessionId: string, exchange: Exchange, tell: () => Promise<void>): Promise<void> {
    if (!(await exchange.delivered)) return;
    try {
      await tell();
    } catch (error) {
      // Still offered: the session hears it again, marked as repeated.
      this.#logger.warn({ err: error, sessionId }, 'could not record what was told');
    }
  }
}
