import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Tinypool } from 'tinypool';
import { Waiting } from '../../platform/bounded-wait.ts';
import { AppError } from '../../platform/errors.ts';
import type { ScryptTask } from './scrypt-worker.ts';

/** Half of the cores: sign-ins must not take the CPU from all other work. */
const THREADS = Math.max(1, Math.floor(availableParallelism() / 2));
/** About four seconds of work for one thread: a later call is better refused at once. */
const MAX_QUEUED = 40;
/**
 * For passkeys that the tag could not refuse: about four seconds of work, and a part of it for one account.
 */
const UNJUDGED_QUEUED = 40;
const UNJUDGED_QUEUED_OF_ACCOUNT = 8;
/** A process without sign-ins has no thread for it. */
const IDLE_MS = 30_000;

/** In the folder of this file, as source or compiled. */
const WORKER = fileURLToPath(
  new URL(`scrypt-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url),
);

/**
 * Runs scrypt on threads of its own. In libuv's pool, where Node would run it, file and DNS operations would
 * wait behind it. Idle threads do not keep the process alive.
 */
export class ScryptPool {
  readonly #pool: Tinypool;
  readonly #most: number;
  readonly #unjudgedWaiting = new Waiting();
  #unjudged: Promise<unknown> = Promise.resolve();
  #running = 0;

  constructor({ threads = THREADS, maxQueued = MAX_QUEUED } = {}) {
    this.#most = threads + maxQueued;
    this.#pool = new Tinypool({
      filename: WORKER,
      runtime: 'worker_threads',
      minThreads: 0,
      maxThreads: threads,
      concurrentTasksPerWorker: 1,
      idleTimeout: IDLE_MS,
    });
  }

  /** @throws AppError rate_limited when too many wait already. */
  async derive(task: ScryptTask): Promise<Buffer> {
    if (this.#running >= this.#most)
      throw new AppError('rate_limited', 'Too many passkeys are being checked. Try again in a moment.', {
        retryAfterSeconds: 1,
      });
    this.#running += 1;
    try {
      const key: Uint8Array = await this.#pool.run(task);
      return Buffer.from(key);
    } finally {
      this.#running -= 1;
    }
  }

  /**
   * For a passkey that the tag could not refuse: one after the other, few of one account and not many in
   * total, so that accounts without a tag never take more than one place from `derive`, however often they
   * are tried.
   * @throws AppError rate_limited when too many wait already.
   */
  deriveUnjudged(task: ScryptTask, account: string): Promise<Buffer> {
    return this.#unjudgedWaiting.during('all', UNJUDGED_QUEUED, () =>
      this.#unjudgedWaiting.during(`of ${account}`, UNJUDGED_QUEUED_OF_ACCOUNT, () => {
        const turn = this.#unjudged.then(() => this.derive(task));
        this.#unjudged = turn.catch(() => undefined);
        return turn;
      }),
    );
  }

  /** Ends the threads; waiting calls are rejected. */
  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}

let shared: ScryptPool | undefined;

/** One pool for this process: the limit applies to the process, whichever part of it calls. */
export function scryptPool(): ScryptPool {
  shared ??= new ScryptPool();
  return shared;
}
