import { type LogBatch, logBounds, readLog } from '@aizuchi/shared/platform/change-log/change-log';
import type { Clock } from '@aizuchi/shared/platform/clock';
import type { Queryable } from '@aizuchi/shared/platform/db/database';
import type { Logger } from '@aizuchi/shared/platform/logger';

export interface LogFollowerOptions {
  readonly db: Queryable;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Must finish a batch before the next one is read. If it throws, the same stretch is read again. */
  readonly deliver: (batch: LogBatch, at: number) => Promise<void>;
  /** The epoch of the log has changed: the database was restored. */
  readonly onReplaced: () => void;
}

/** Everything below `xid` was delivered; `at` is the time when `xid` was the horizon. */
export interface LogPosition {
  readonly xid: string;
  readonly at: number;
  readonly epoch: string;
}

/** Delays of the reads for a change event that waits for an older transaction: no other hint announces it. */
const LOOK_AGAIN_MS = [5, 10, 20, 50, 100];
/** Delay of all further reads, and of the next read after an error. */
const LOOK_AGAIN_AT_LAST_MS = 1_000;

/**
 * The only reader of the log in this process. It reads when woken, and only while there are subscribers. All its
 * work, and the work that others pass to `serially`, runs one after the other.
 */
export class LogFollower {
  readonly #options: LogFollowerOptions;
  #position: LogPosition | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #isWakeQueued = false;
  #isFollowing = false;
  /**
   * Number of pauses so far. An `advance` that waits for the database uses it to see whether following was paused
   * meanwhile.
   */
  #pauses = 0;
  #hasFailed = false;
  #looks = 0;
  #lookAgain: NodeJS.Timeout | undefined;

  constructor(options: LogFollowerOptions) {
    this.#options = options;
  }

  /** A hint that the log has grown; cheap when there is no subscriber or a read is queued already. */
  wake(): void {
    if (!this.#isFollowing || this.#isWakeQueued) return;
    this.#isWakeQueued = true;
    void this.serially(async () => {
      this.#isWakeQueued = false;
      await this.#look();
    });
  }

  /** Starts reading; `advance` says from where. */
  follow(): void {
    this.#isFollowing = true;
  }

  /** Stops reading when there is no subscriber. The next subscriber begins at the end of the log. */
  pause(): void {
    this.#isFollowing = false;
    this.#position = undefined;
    this.#pauses += 1;
    this.#looks = 0;
    clearTimeout(this.#lookAgain);
  }

  /** Runs `work` after the work in progress, before anything further is read. */
  serially<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => undefined);
    return result;
  }

  /**
   * Reads and delivers the new entries. Must be called inside `serially`. Returns the position. If all subscribers
   * have left meanwhile, nothing is delivered and the position is not kept.
   */
  async advance(): Promise<LogPosition> {
    const following = this.#pauses;
    const before = this.#position;
    const now = await this.#read(before, () => following === this.#pauses);
    if (following === this.#pauses) this.#position = now;
    return now;
  }

  async #read(before: LogPosition | undefined, isFollowed: () => boolean): Promise<LogPosition> {
    const { db, clock, deliver, onReplaced } = this.#options;
    const at = clock.now().getTime();
    if (before === undefined) return this.#end(at);
    // The horizon has not moved through all quick reads: a transaction of another database on the server may hold it.
    const pastOthers = this.#looks >= LOOK_AGAIN_MS.length;
    const batch = await readLog(db, before.xid, { pastOthers });
    const here = { xid: batch.to, at, epoch: batch.epoch };
    if (!isFollowed()) return here;
    if (batch.epoch !== before.epoch) {
      const end = await this.#end(at);
      if (isFollowed()) onReplaced();
      return end;
    }
    if (batch.entries.length > 0) await deliver(batch, before.at);
    if (isFollowed()) this.#scheduleLook(batch.pending);
    return here;
  }

  async #end(at: number): Promise<LogPosition> {
    const { horizon, epoch } = await logBounds(this.#options.db);
    return { xid: horizon, at, epoch };
  }

  async #look(): Promise<void> {
    if (!this.#isFollowing) return;
    try {
      await this.advance();
      this.#hasFailed = false;
    } catch (error) {
      if (this.#isFollowing) this.#lookAgainIn(LOOK_AGAIN_AT_LAST_MS);
      // One line for a database that is not available, not one each second.
      if (!this.#hasFailed) this.#options.logger.warn({ err: error }, 'could not follow the log');
      this.#hasFailed = true;
    }
  }

  #scheduleLook(isPending: boolean): void {
    clearTimeout(this.#lookAgain);
    if (isPending) this.#lookAgainIn(LOOK_AGAIN_MS[this.#looks] ?? LOOK_AGAIN_AT_LAST_MS);
    this.#looks = isPending ? this.#looks + 1 : 0;
  }

  #lookAgainIn(ms: number): void {
    clearTimeout(this.#lookAgain);
    this.#lookAgain = setTimeout(() => this.wake(), ms);
  }
}
