import { EVERYTHING, isOfLog, keys } from '../../platform/change-log/keys.ts';
import type { NotificationDeps } from './deps.ts';
import { NotificationProjection } from './notification-projection.ts';
import { isAnythingToTell, nextDueAt } from './notification-queries.ts';
import { NotificationSender } from './notification-sender.ts';

/** A busy chat must not make it read inboxes ten times a second. */
const BETWEEN_MS = 1_000;
/** A lost hint costs no more than this. */
const REST_MS = 15_000;

/**
 * Compares the inboxes when something has changed or is due, and sends. Both go on by themselves: an address that answers
 * slowly does not keep others from being told. Any number of processes may run it.
 */
export class NotificationWorker {
  readonly #deps: NotificationDeps;
  readonly #projection: NotificationProjection;
  readonly #sender: NotificationSender;
  #isStarted = false;
  /** Something has changed since the last look began. */
  #isStale = false;
  #timer: NodeJS.Timeout | undefined;
  #dueAt = Number.POSITIVE_INFINITY;
  #lookedAt = 0;
  #looking: Promise<void> | undefined;
  #sending: Promise<void> | undefined;

  constructor(deps: NotificationDeps) {
    this.#deps = deps;
    this.#projection = new NotificationProjection(deps);
    this.#sender = new NotificationSender(deps);
  }

  start(): void {
    this.#isStarted = true;
    this.#wake(BETWEEN_MS);
  }

  async stop(): Promise<void> {
    this.#isStarted = false;
    clearTimeout(this.#timer);
    await this.#looking;
    await this.#sending;
  }

  onKeys(changed: readonly string[]): void {
    if (!changed.some((key) => isOfLog(key) || key === keys.notifications || key === EVERYTHING)) return;
    this.#isStale = true;
    this.#wake(Math.max(0, this.#lookedAt + BETWEEN_MS - performance.now()));
  }

  /** Looks once and sends what is due; for tests. */
  async runOnce(): Promise<void> {
    if (!(await isAnythingToTell(this.#deps.database))) return;
    await this.#projection.look();
    await this.#sender.sendDue();
  }

  #wake(inMs: number): void {
    const dueAt = performance.now() + inMs;
    if (!this.#isStarted || dueAt >= this.#dueAt) return;
    clearTimeout(this.#timer);
    this.#dueAt = dueAt;
    this.#timer = setTimeout(() => {
      this.#dueAt = Number.POSITIVE_INFINITY;
      this.#looking ??= this.#look().finally(() => {
        this.#looking = undefined;
      });
    }, inMs);
  }

  async #look(): Promise<void> {
    const { database, logger } = this.#deps;
    let restMs = REST_MS;
    this.#isStale = false;
    try {
      if (await isAnythingToTell(database)) restMs = await this.#tell();
    } catch (err) {
      // The next look comes with the next hint, or after the rest.
      logger.warn({ err }, 'inboxes could not be compared');
    }
    this.#lookedAt = performance.now();
    this.#looking = undefined;
    // A hint that came meanwhile may have woken it while it looked.
    this.#wake(this.#isStale ? BETWEEN_MS : Math.max(BETWEEN_MS, restMs));
  }

  /** Returns the milliseconds until the next one is due. */
  async #tell(): Promise<number> {
    const { database, logger } = this.#deps;
    await this.#projection.look();
    this.#sending ??= this.#sender
      .sendDue()
      .catch((err: unknown) => logger.warn({ err }, 'notifications could not be sent'))
      .finally(() => {
        this.#sending = undefined;
      });
    const next = await nextDueAt(database.db);
    return next ? Math.min(REST_MS, next.getTime() - (await database.now()).getTime()) : REST_MS;
  }
}
