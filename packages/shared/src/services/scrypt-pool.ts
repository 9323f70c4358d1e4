import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Tinypool } from 'tinypool';
import { AppError } from '../errors.ts';
import type { ScryptTask } from './scrypt-worker.ts';

/** Half of the cores: sign-ins must not take the CPU from everything else. */
const THREADS = Math.max(1, Math.floor(availableParallelism() / 2));
/** About four seconds of work for one thread: who came later is better told at once. */
const MAX_QUEUED = 40;
/** A process in which nobody signs in has no thread for it. */
const IDLE_MS = 30_000;

/** Beside this file, as source or compiled. */
const WORKER = fileURLToPath(
  new URL(`scrypt-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url),
);

/**
 * Runs scrypt on threads of its own. In libuv's pool, where Node would run it, files and DNS would wait behind it.
 * Idle threads do not keep the process alive.
 */
export class ScryptPool {
  readonly #pool: Tinypool;
  readonly #most: number;
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

  /** Ends the threads; what still waits is rejected. */
  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}

let shared: ScryptPool | undefined;

/** The one of this process: the bound is on the process, whoever asks. */
export function scryptPool(): ScryptPool {
  shared ??= new ScryptPool();
  return shared;
}
