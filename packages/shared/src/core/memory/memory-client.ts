import type { z } from 'zod';
import type { MemorySearch, SearchMemoryBody } from '../../contract/memory.ts';
import { MEMORY_CALLS, type MemoryCallScope } from '../../contract/memory-calls.ts';
import { AppError } from '../../platform/errors.ts';
import type { Logger } from '../../platform/logger.ts';
import type { MemoryScope } from './memory-scope.ts';
import type { Memory, RecallInput, RecallOptions, Recollection } from './recall.ts';

export interface MemoryClientOptions {
  /** Undefined: there is no memory service. */
  readonly url?: string | undefined;
  /** The internal token. */
  readonly token: string;
  readonly logger: Logger;
  /** How long a search may take. */
  readonly searchMs?: number;
}

type Calls = typeof MEMORY_CALLS;

const SEARCH_MS = 6_000;
/** For the plan and the selection of a model. */
const RECALL_MS = 4_000;
/** The part of a budget that is for the way to the service and back. */
const WAY_SHARE = 0.1;
const MAX_WAY_MS = 100;
/** A service that has not answered for this long may be stopped, and calls do not wait for it until it answers again. */
const STALLED_MS = 1_000;
const PROBE_EVERY_MS = 500;
const RETRY_AFTER_SECONDS = 2;

/**
 * The memory service by HTTP, on connections that are kept. Each call has a deadline. A service that is away refuses
 * at once; one that takes connections and does not answer costs one call its time, the next ones none, until a probe
 * in the background is answered.
 */
export class MemoryClient implements Memory {
  readonly #options: MemoryClientOptions;
  #isStalled = false;
  #hasFailed = false;

  constructor(options: MemoryClientOptions) {
    this.#options = options;
  }

  async search(
    scope: MemoryScope,
    body: SearchMemoryBody,
    { byRules }: RecallOptions = {},
  ): Promise<MemorySearch> {
    const { searchMs = SEARCH_MS } = this.#options;
    try {
      return await this.#call('search', { scope: scopeOnWire(scope), body, byRules }, searchMs);
    } catch (cause) {
      this.#onFailed(cause);
      throw new AppError('unavailable', 'The memory service does not answer. Try again in a moment.', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
        cause,
      });
    }
  }

  async recall(scope: MemoryScope, input: RecallInput): Promise<Recollection> {
    const waitMs = input.budgetMs ?? RECALL_MS;
    const budgetMs = Math.max(1, Math.floor(waitMs - Math.min(waitMs * WAY_SHARE, MAX_WAY_MS)));
    try {
      return await this.#call('recall', { scope: scopeOnWire(scope), input: { ...input, budgetMs } }, waitMs);
    } catch (error) {
      this.#onFailed(error);
      return { runId: null, degraded: ['memory_unavailable'], pack: { selected: [] } };
    }
  }

  async #call<N extends keyof Calls>(
    name: N,
    body: z.input<Calls[N]['body']>,
    waitMs: number,
  ): Promise<z.output<Calls[N]['response']>>;
  async #call(name: keyof Calls, body: unknown, waitMs: number): Promise<unknown> {
    const { url, token } = this.#options;
    if (url === undefined) throw new Error('AIZUCHI_MEMORY_URL is not set');
    if (this.#isStalled) throw new Error('the memory service has not answered yet');
    const { path, response: schema } = MEMORY_CALLS[name];
    const signal = AbortSignal.timeout(waitMs);
    try {
      const response = await fetch(url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        // The token is for this address only.
        redirect: 'error',
        signal,
      });
      if (!response.ok) throw new Error(`it answered ${response.status}: ${await response.text()}`);
      const answer = schema.parse(await response.json());
      this.#onAnswered();
      return answer;
    } catch (error) {
      if (signal.aborted && waitMs >= STALLED_MS) this.#waitForAnswer(url);
      throw error;
    }
  }

  #waitForAnswer(url: string): void {
    if (this.#isStalled) return;
    this.#isStalled = true;
    const probe = async () => {
      // A refused connection ends the wait as well: calls then fail at once by themselves.
      const hangs = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(STALLED_MS) })
        .then(async ({ body }) => {
          await body?.cancel();
          return false;
        })
        .catch((error: unknown) => error instanceof Error && error.name === 'TimeoutError');
      if (hangs) setTimeout(probe, PROBE_EVERY_MS).unref();
      else this.#isStalled = false;
    };
    void probe();
  }

  #onAnswered(): void {
    if (this.#hasFailed) this.#options.logger.info('the memory service answers again');
    this.#hasFailed = false;
  }

  /** One line for a service that is away, not one for each call. */
  #onFailed(error: unknown): void {
    if (!this.#hasFailed) this.#options.logger.warn({ err: error }, 'the memory service does not answer');
    this.#hasFailed = true;
  }
}

function scopeOnWire({ agentId, projectId }: MemoryScope): MemoryCallScope {
  return projectId === undefined ? { agentId, everything: true } : { agentId, projectId };
}
