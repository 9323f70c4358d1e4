import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@aizuchi/shared/platform/logger';
import type { SplitOutput } from './docker/framed-output.ts';

const RETRY_MS = 1_000;
/** For the output of a container that is dead. */
const REST_MS = 1_000;
/** For what a node has of the output when the run is over. */
const REST_TIMEOUT_MS = 10_000;

export interface FollowedOutputOptions {
  /** All of the output from its beginning: what there is now, or also what comes. */
  readonly read: (options: {
    readonly isFollowing: boolean;
    readonly signal: AbortSignal;
  }) => Promise<SplitOutput>;
  readonly logger: Logger;
  /** The output ends by itself, so that what is under way when the run is over is waited for. */
  readonly endsWithRun?: boolean | undefined;
}

/**
 * The output of a container on another host, live and whole. It may not end with the container, so what is missing
 * then is read again: from the beginning, without what was seen, as after a connection that broke.
 */
export class FollowedOutput {
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();
  readonly #options: FollowedOutputOptions;
  readonly #seen = { stdout: 0, stderr: 0 };
  readonly #over = new AbortController();
  readonly #followed: Promise<void>;
  #reading: Promise<void> = Promise.resolve();

  constructor(options: FollowedOutputOptions) {
    this.#options = options;
    this.#followed = this.#follow();
  }

  /** The run is over: ends both streams. `isReachable`: its node can still be asked for the rest. */
  async end({ isReachable }: { readonly isReachable: boolean }): Promise<void> {
    if (this.#options.endsWithRun)
      await Promise.race([this.#reading, delay(REST_MS, undefined, { ref: false })]);
    this.#over.abort();
    await this.#followed;
    if (isReachable)
      await this.#read(false, AbortSignal.timeout(REST_TIMEOUT_MS)).catch((error: unknown) =>
        this.#options.logger.warn({ err: error }, 'the end of the output was not read'),
      );
    this.stdout.end();
    this.stderr.end();
  }

  async #follow(): Promise<void> {
    const { signal } = this.#over;
    for (let failures = 0; !signal.aborted; failures += 1) {
      this.#reading = this.#read(true, signal).catch((error: unknown) => {
        if (!signal.aborted && failures === 0)
          this.#options.logger.warn({ err: error }, 'the output of a run is not read; asking again');
      });
      await this.#reading;
      await delay(RETRY_MS, undefined, { ref: false, signal }).catch(() => undefined);
    }
  }

  async #read(isFollowing: boolean, signal: AbortSignal): Promise<void> {
    const streams = await this.#options.read({ isFollowing, signal });
    await Promise.all([this.#forward(streams.stdout, 'stdout'), this.#forward(streams.stderr, 'stderr')]);
  }

  async #forward(from: Readable, name: 'stdout' | 'stderr'): Promise<void> {
    let known = this.#seen[name];
    for await (const chunk of from as AsyncIterable<Buffer>) {
      const fresh = chunk.subarray(Math.min(known, chunk.length));
      known -= chunk.length - fresh.length;
      if (fresh.length === 0) continue;
      this.#seen[name] += fresh.length;
      if (!this[name].write(fresh)) await once(this[name], 'drain');
    }
  }
}
