import type { Driver, DriverSession, SessionOptions } from '../driver.ts';
import { within } from '../within.ts';

export interface SessionKeeperOptions {
  readonly driver: Driver;
  /** Read again for each session, because the resume token changes. */
  readonly sessionOptions: () => Promise<SessionOptions>;
  readonly closeLimitMs: number;
  readonly log: (sentence: string) => void;
}

/** The one session of the driver: opened in time, opened again after a failure, closed in a bounded time. */
export class SessionKeeper {
  readonly #options: SessionKeeperOptions;
  #session: Promise<DriverSession> | undefined;
  #current: DriverSession | undefined;
  #closing: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: SessionKeeperOptions) {
    this.#options = options;
  }

  /** The open session. Rejects when it cannot be opened; the next call tries again. */
  open(): Promise<DriverSession> {
    if (this.#isClosed) return Promise.reject(new Error('the session is closed'));
    this.#session ??= this.#openNew();
    return this.#session;
  }

  /** Opens it before it is needed. A failure is seen again by the turn that needs the session. */
  openEarly(): void {
    this.open().catch((error: unknown) => this.#options.log(`the agent could not be started: ${error}`));
  }

  /** After a failure of the session: the next `open` gives another one, once this one is closed. */
  replace(broken: DriverSession): void {
    if (this.#current !== broken) return;
    this.#current = undefined;
    this.#session = undefined;
    this.#closing = this.#inTime(broken.close());
  }

  /** Idempotent. Resolves at the latest when the limit is over. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const opening = this.#session;
    this.#session = undefined;
    const closed = opening?.then(
      (session) => session.close(),
      () => undefined,
    );
    await this.#inTime(Promise.all([closed, this.#closing]));
  }

  async #openNew(): Promise<DriverSession> {
    await this.#closing;
    try {
      this.#current = await this.#options.driver.open(await this.#options.sessionOptions());
      return this.#current;
    } catch (error) {
      this.#session = undefined;
      throw error;
    }
  }

  /** Never rejects. */
  async #inTime(closing: Promise<unknown>): Promise<void> {
    const { closeLimitMs, log } = this.#options;
    try {
      if (!(await within(closeLimitMs, closing)))
        log(`the agent did not close its session in ${closeLimitMs} ms`);
    } catch (error) {
      log(`the agent could not close its session: ${error}`);
    }
  }
}
