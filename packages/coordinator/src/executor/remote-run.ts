import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@aizuchi/shared/platform/logger';
import { pumpOutput } from '../log/pump-output.ts';
import type { RunLog } from '../log/run-log.ts';
import { StderrTail } from '../log/stderr-tail.ts';
import { judgeExit, type ProcessState, type RunExit } from '../process/process-state.ts';
import type { SaidReason } from '../texts/run-errors.ts';
import { codeAndSignal } from './docker/container-end.ts';
import type { ProcessDescription, RunHandle, RunPlace, RunTraceEntry } from './executor.ts';
import { FollowedOutput, type FollowedOutputOptions } from './followed-output.ts';

/** How a container on another host has ended, as its manager tells it. */
export interface RemoteEnd {
  readonly kind:
    | 'ended'
    /** It never ran. */
    | 'refused'
    /** Not by its own end, and not by ours. */
    | 'taken-off'
    | 'node-lost'
    /** Nobody knows how. */
    | 'gone';
  readonly exitCode?: number | undefined;
  /** The manager has decided it, and no node has said that the container has ended. */
  readonly mayLive?: true;
}

export interface EndTexts {
  readonly startError?: SaidReason;
  readonly lostError?: SaidReason;
  readonly error?: SaidReason;
  /** What the code stands for. */
  readonly signal?: NodeJS.Signals;
}

/** What the manager of the other hosts is asked about one run. */
interface RemoteContainer<End extends RemoteEnd> {
  readonly read: FollowedOutputOptions['read'];
  readonly endsWithRun?: boolean;
  readonly memoryMb: () => Promise<number | undefined>;
  /** SIGTERM, the grace, SIGKILL. */
  readonly stop: (graceMs: number) => Promise<void>;
  /** The grace that it has, whatever is asked for; absent: that which is asked for. */
  readonly graceMs?: number;
  /** Undefined once aborted. */
  readonly untilEnd: (isStopping: () => boolean, signal: AbortSignal) => Promise<End | undefined>;
  /** With its secret. False when something is still there. `end`: how it ended, as far as somebody knows. */
  readonly remove: (end: End | undefined) => Promise<boolean>;
}

export interface RemoteRunOptions<End extends RemoteEnd> {
  readonly container: RemoteContainer<End>;
  /** By which the engine knows it. */
  readonly name: string;
  readonly place: RunPlace & { readonly executor: 'swarm' | 'kubernetes' };
  /** On its node; 1, which it is in its container, when it is not known. */
  readonly pid: number;
  readonly log: RunLog;
  readonly secrets: readonly string[];
  readonly logger: Logger;
  /** What an end means of which the code alone says too little. */
  readonly explain: (end: End) => EndTexts;
}

const STOP_GRACE_MS = 5_000;
/** After the grace: until the node has told the manager. */
const KILL_TIMEOUT_MS = 10_000;

/** One run in a container of another host, from when it has begun until it is removed with its secret. */
export class RemoteRun<End extends RemoteEnd> implements RunHandle {
  readonly exited: Promise<RunExit>;
  readonly #options: RemoteRunOptions<End>;
  readonly #tail = new StderrTail();
  readonly #givenUp = new AbortController();
  #state: ProcessState = 'running';
  #stopping: Promise<void> | undefined;
  #survivors: readonly string[] = [];

  constructor(options: RemoteRunOptions<End>) {
    this.#options = options;
    this.exited = this.#live();
  }

  get state(): ProcessState {
    return this.#state;
  }

  get survivors(): readonly string[] {
    return this.#survivors;
  }

  get place(): RunPlace {
    return this.#options.place;
  }

  get trace(): RunTraceEntry {
    return { executor: this.#options.place.executor };
  }

  /** Not of this host. */
  async describe(): Promise<ProcessDescription> {
    return { pid: this.#options.pid, startTicks: 0 };
  }

  async memoryMb(): Promise<number | undefined> {
    return this.#state === 'exited' ? undefined : this.#options.container.memoryMb();
  }

  async stop(graceMs = STOP_GRACE_MS): Promise<void> {
    if (this.#state === 'exited') return;
    if (!this.#stopping) {
      this.#state = 'stopping';
      this.#stopping = this.#end(this.#options.container.graceMs ?? graceMs);
    }
    await this.exited;
  }

  async #end(graceMs: number): Promise<void> {
    const { container, name, logger } = this.#options;
    await container
      .stop(graceMs)
      .catch((error: unknown) => logger.warn({ err: error, container: name }, 'container not stopped'));
    const late = delay(graceMs + KILL_TIMEOUT_MS, 'late', { ref: false });
    if ((await Promise.race([this.exited, late])) === 'late') this.#givenUp.abort();
  }

  async #live(): Promise<RunExit> {
    const { container, name, log, secrets, logger, explain } = this.#options;
    const output = new FollowedOutput({ ...container, logger });
    const pumped = Promise.all([
      pumpOutput(output.stdout, { log, secrets, logger, ...this.#tailOf('stdout') }),
      pumpOutput(output.stderr, { log, secrets, logger, ...this.#tailOf('stderr') }),
    ]);
    const end = await container.untilEnd(() => this.#state === 'stopping', this.#givenUp.signal);
    const stopRequested = this.#state === 'stopping';
    await output.end({ isReachable: end?.kind === 'ended' || end?.kind === 'taken-off' });
    await pumped;
    const { startError, lostError, error, signal } = end && !stopRequested ? explain(end) : {};
    const said = error ?? lostError;
    // Also where people look for the last words of a program.
    if (said !== undefined) await log.write(Buffer.from(`${said.text}\n`)).catch(() => undefined);
    await log.close().catch((reason: unknown) => logger.warn({ err: reason }, 'run log not closed'));
    if (!(await container.remove(end))) this.#survivors = [name];
    // The removal is what ends it at its node, which then says nothing of it any more.
    else if (end?.mayLive) await delay(container.graceMs ?? STOP_GRACE_MS);
    this.#state = 'exited';
    const stderrTail = [this.#tail.toString(), said?.text].filter(Boolean).join('\n');
    const how = signal ? { exitCode: null, signal } : codeAndSignal(end?.exitCode);
    const exit = judgeExit({ ...how, stopRequested, stderrTail, startError, lostError });
    return error === undefined ? exit : { ...exit, error };
  }

  /** A cluster has one stream for both outputs: its last lines stand for those of stderr. */
  #tailOf(stream: 'stdout' | 'stderr') {
    const told = this.#options.place.executor === 'kubernetes' ? 'stdout' : 'stderr';
    return stream === told ? { tail: this.#tail } : {};
  }
}
