import { type LogBatch, logBounds, readLog } from '@aizuchi/shared/platform/changes/change-log';
import type { Clock } from '@aizuchi/shared/platform/clock';
import type { Queryable } from '@aizuchi/shared/platform/db/database';
import type { Logger } from '@aizuchi/shared/platform/logger';

export interface LogFollowerOptions {
  readonly db: Queryable;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Must have finished with a batch before the next is read; when it throws, the same stretch is read again. */
  readonly deliver: (batch: LogBatch, at: number) => Promise<void>;
  /** The log is another one than a moment ago: the database was restored. */
  readonly onReplaced: () => void;
}

/** Everything below `xid` was delivered; `at` is when that was the horizon. */
export interface LogPosition {
  readonly xid: string;
  readonly at: number;
  readonly epoch: string;
}

/** A change event that waits for an older transaction becomes readable without another hint. */
const LOOK_AGAIN_MS = [5, 10, 20, 50, 100];
/** After those; also when the log could not be read. */
const LOOK_AGAIN_AT_LAST_MS = 1_000;

/**
 * The one reader of the log in this process. It reads when woken, and only while somebody listens; all its work,
 * and what others run with `serially`, happens one after the other.
 */
export class LogFollower {
  readonly #options: LogFollowerOptions;
  #position: LogPosition | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #isWakeQueued = false;
  #isFollowing = false;
  /** Who waits for the database looks whether it is still the same following. */
  #rests = 0;
  #hasFailed = false;
  #looks = 0;
  #lookAgain: NodeJS.Timeout | undefined;

  constructor(options: LogFollowerOptions) {
    this.#options = options;
  }

  /** A hint that the log has grown; cheap when nobody listens or a look is due already. */
  wake(): void {
    if (!this.#isFollowing || this.#isWakeQueued) return;
    this.#isWakeQueued = true;
    void this.serially(async () => {
      this.#isWakeQueued = false;
      await this.#look();
    });
  }

  /** From now on it reads; `advance` says from where. */
  follow(): void {
    this.#isFollowing = true;
  }

  /** Nobody listens any more: whoever comes next begins with what comes next. */
  rest(): void {
    this.#isFollowing = false;
    this.#position = undefined;
    this.#rests += 1;
    this.#looks = 0;
    clearTimeout(this.#lookAgain);
  }

  /** Runs `work` after what is under way, before anything further is read. */
  serially<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => undefined);
    return result;
  }

  /**
   * Reads and delivers what is new; only inside `serially`. Returns where it stands now. When everybody has left
   * meanwhile, nothing is delivered and the place is not kept.
   */
  async advance(): Promise<LogPosition> {
    const following = this.#rests;
    const before = this.#position;
    const now = await this.#read(before, () => following === this.#rests);
    if (following === this.#rests) this.#position = now;
    return now;
  }

  async #read(before: LogPosition | undefined, isFollowed: () => boolean): Promise<LogPosition> {
    const { db, clock, deliver, onReplaced } = this.#options;
    const at = clock.now().getTime();
    if (before === undefined) return this.#end(at);
    // It has stood still through all looks: perhaps only another database of the server is in the way.
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
      // One line tells of a database that is away, not one each second.
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
