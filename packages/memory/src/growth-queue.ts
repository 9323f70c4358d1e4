import { type GrowthDeps, growAlone, growingAgents } from '@aizuchi/shared/core/memory/growth/grow-agent';
import { type Runner, run, Logger as WorkerLogger } from 'graphile-worker';

/** Memories that grow at once. */
const AT_ONCE = 2;
/** A wake-up that was lost is found by the next look; jobs that are added wake the worker by NOTIFY. */
const POLL_EVERY_MS = 60_000;
const START_AGAIN_MS = 5_000;
/** Between two looks: an import stores many times a second. */
const BETWEEN_LOOKS_MS = 100;
const MOST_AGENTS = 100;
const TASK = 'grow';

export interface GrowthCounts {
  readonly applied: number;
  readonly jobs: number;
}

/**
 * Lets the memories grow of which something is stored: a job of the queue for each agent, with the agent as its key. What
 * is to be done stands in the tables of the memory, not in the job: a job that is lost or done twice changes nothing.
 */
export class GrowthQueue {
  readonly #deps: GrowthDeps;
  readonly #end = new AbortController();
  #starting: Promise<void> | undefined;
  #runner: Runner | undefined;
  #looking: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #dueAt = Number.POSITIVE_INFINITY;
  /** The agents whose jobs run here, and whether something was stored meanwhile. */
  readonly #running = new Map<string, { again: boolean }>();
  #applied = 0;
  #jobs = 0;

  constructor(deps: GrowthDeps) {
    this.#deps = deps;
  }

  get counts(): GrowthCounts {
    return { applied: this.#applied, jobs: this.#jobs };
  }

  /** Does not wait for the database; it is tried again until it is there. */
  start(): void {
    this.#starting = this.#start();
  }

  /** Something may have been stored. */
  wake(inMs = BETWEEN_LOOKS_MS): void {
    if (this.#end.signal.aborted) return;
    const dueAt = performance.now() + inMs;
    if (dueAt >= this.#dueAt) return;
    clearTimeout(this.#timer);
    this.#dueAt = dueAt;
    this.#timer = setTimeout(() => {
      this.#dueAt = Number.POSITIVE_INFINITY;
      this.#looking = (this.#looking ?? Promise.resolve()).then(() => this.#look());
    }, inMs);
  }

  async stop(): Promise<void> {
    this.#end.abort(new Error('the service stops'));
    clearTimeout(this.#timer);
    await this.#starting;
    await this.#looking;
    await this.#runner?.stop().catch(() => undefined);
  }

  async #start(): Promise<void> {
    const { database, logger } = this.#deps;
    try {
      this.#runner = await run({
        pgPool: database.pool,
        concurrency: AT_ONCE,
        pollInterval: POLL_EVERY_MS,
        noHandleSignals: true,
        logger: new WorkerLogger(() => (level, message) => {
          if (level === 'error' || level === 'warning') logger.warn({ message }, 'the queue of growth');
          else logger.debug({ message }, 'the queue of growth');
        }),
        taskList: { [TASK]: (payload) => this.#grow(agentOf(payload)) },
      });
      this.#runner.promise.catch((err: unknown) => logger.warn({ err }, 'the queue of growth has ended'));
      this.wake();
    } catch (error) {
      if (this.#end.signal.aborted) return;
      logger.warn({ err: error }, 'the queue of growth could not start');
      const timer = setTimeout(() => {
        if (!this.#end.signal.aborted) this.start();
      }, START_AGAIN_MS);
      this.#end.signal.addEventListener('abort', () => clearTimeout(timer));
    }
  }

  async #look(): Promise<void> {
    const { logger } = this.#deps;
    if (!this.#runner || this.#end.signal.aborted) return;
    try {
      for (const agentId of await growingAgents(this.#deps, MOST_AGENTS)) {
        const running = this.#running.get(agentId);
        if (running) running.again = true;
        else await this.#runner.addJob(TASK, { agentId }, { jobKey: `${TASK}:${agentId}` });
      }
    } catch (error) {
      // The next look comes with the next slow poll.
      if (!this.#end.signal.aborted) logger.warn({ err: error }, 'what grows could not be looked up');
    }
  }

  async #grow(agentId: string | undefined): Promise<void> {
    if (agentId === undefined || this.#end.signal.aborted) return;
    const running = this.#running.get(agentId);
    if (running) {
      running.again = true;
      return;
    }
    const state = { again: false };
    this.#running.set(agentId, state);
    this.#jobs += 1;
    try {
      const grown = await growAlone(this.#deps, agentId, this.#end.signal);
      this.#applied += grown?.applied ?? 0;
      if (grown?.retryMs != null) this.wake(Math.max(BETWEEN_LOOKS_MS, grown.retryMs));
    } catch (error) {
      // A service that stops leaves the rest to the next one.
      if (!this.#end.signal.aborted) throw error;
    } finally {
      this.#running.delete(agentId);
      if (state.again) this.wake();
    }
  }
}

function agentOf(payload: unknown): string | undefined {
  if (typeof payload !== 'object' || payload === null || !('agentId' in payload)) return undefined;
  return typeof payload.agentId === 'string' ? payload.agentId : undefined;
}
