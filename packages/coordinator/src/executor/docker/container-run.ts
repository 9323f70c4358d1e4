import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@aizuchi/shared/platform/logger';
import { z } from 'zod';
import { pumpOutput } from '../../log/pump-output.ts';
import type { RunLog } from '../../log/run-log.ts';
import { StderrTail } from '../../log/stderr-tail.ts';
import { readStat } from '../../process/proc-table.ts';
import { judgeExit, type ProcessState, type RunExit } from '../../process/process-state.ts';
import type { SaidReason } from '../../texts/run-errors.ts';
import type { ProcessDescription, RunHandle, RunPlace, RunTraceEntry } from '../executor.ts';
import { codeAndSignal, isNoContainer, removeContainer } from './container-end.ts';
import { containerMemory } from './container-memory.ts';
import { type DockerEngine, EngineRefused } from './docker-engine.ts';
import { splitOutput } from './framed-output.ts';

export interface ContainerRunOptions {
  readonly engine: DockerEngine;
  /** The name of the container. */
  readonly name: string;
  readonly streams: Duplex;
  readonly place: RunPlace;
  readonly log: RunLog;
  readonly secrets: readonly string[];
  /** Whether the engine is on this host, so that its pids are ours. */
  readonly isLocal: boolean;
  readonly logger: Logger;
  /** What an end means of which the code alone says too little. */
  readonly explain: (end: ContainerEnd) => { readonly startError?: SaidReason; readonly error?: SaidReason };
}

export interface ContainerEnd {
  readonly exitCode: number;
  readonly isOutOfMemory: boolean;
}

const STOP_GRACE_MS = 5_000;
/** The container is dead, so its output ends at once. */
const OUTPUT_TIMEOUT_MS = 1_000;
/** After SIGKILL, and for an engine that has stopped answering. */
const KILL_TIMEOUT_MS = 2_000;
const RETRY_MS = 1_000;

const waitSchema = z.object({ StatusCode: z.number().int() });
const inspectSchema = z.object({ State: z.object({ Pid: z.number().int(), OOMKilled: z.boolean() }) });

/** One run in its container, from its start until the container is removed. */
export class ContainerRun implements RunHandle {
  readonly exited: Promise<RunExit>;
  readonly trace: RunTraceEntry = { executor: 'docker' };
  readonly #options: ContainerRunOptions;
  readonly #tail = new StderrTail();
  readonly #givenUp = new AbortController();
  #state: ProcessState = 'running';
  #stopping: Promise<void> | undefined;
  #survivors: readonly string[] = [];

  constructor(options: ContainerRunOptions) {
    this.#options = options;
    this.exited = this.#live();
  }

  get state(): ProcessState {
    return this.#state;
  }

  get survivors(): readonly string[] {
    return this.#survivors;
  }

  /** Its pid on the engine's host; 1, which it is in its container, when it is not known (any more). */
  async describe(): Promise<ProcessDescription> {
    const { Pid } = await this.#inspect().catch((error: unknown) => {
      this.#options.logger.warn({ err: error }, 'the engine does not say which process a run is');
      return { Pid: 0 };
    });
    const stat = this.#options.isLocal && Pid > 0 ? await readStat(Pid) : undefined;
    return { pid: Pid || 1, startTicks: stat?.startTicks ?? 0 };
  }

  get place(): RunPlace {
    return this.#options.place;
  }

  memoryMb(): Promise<number | undefined> {
    return containerMemory(this.#options.engine, this.#options.name);
  }

  async stop(graceMs = STOP_GRACE_MS): Promise<void> {
    if (this.#state === 'exited') return;
    if (!this.#stopping) {
      this.#state = 'stopping';
      this.#stopping = this.#end(graceMs);
    }
    await this.exited;
  }

  async #end(graceMs: number): Promise<void> {
    void this.#signal('SIGTERM');
    if (await this.#endsWithin(graceMs)) return;
    await this.#signal('SIGKILL');
    if (!(await this.#endsWithin(KILL_TIMEOUT_MS))) this.#givenUp.abort();
  }

  async #endsWithin(milliseconds: number): Promise<boolean> {
    const late = delay(milliseconds, false, { ref: false });
    return Promise.race([this.exited.then(() => true), late]);
  }

  async #signal(signal: string): Promise<void> {
    const { engine, name, logger } = this.#options;
    const path = `/containers/${name}/kill`;
    const timeoutMs = KILL_TIMEOUT_MS;
    await engine.call({ method: 'POST', path, query: { signal }, timeoutMs }).catch((error: unknown) => {
      // It has ended meanwhile: 409, or 404 when somebody has removed it.
      if (!(error instanceof EngineRefused)) logger.warn({ err: error, signal }, 'container not signalled');
    });
  }

  async #live(): Promise<RunExit> {
    const { engine, name, streams, log, secrets, logger, explain } = this.#options;
    const { stdout, stderr } = splitOutput(streams);
    const output = Promise.all([
      pumpOutput(stdout, { log, secrets, logger }),
      pumpOutput(stderr, { log, secrets, logger, tail: this.#tail }),
    ]);
    const end = await this.#ownEnd();
    const stopRequested = this.#state === 'stopping';
    await Promise.race([output, delay(OUTPUT_TIMEOUT_MS, undefined, { ref: false })]);
    streams.destroy();
    await output;
    const { startError, error } = end && !stopRequested ? explain(end) : {};
    // Also where people look for the last words of a program.
    if (error !== undefined) await log.write(Buffer.from(`${error.text}\n`)).catch(() => undefined);
    await log.close().catch((reason: unknown) => logger.warn({ err: reason }, 'run log not closed'));
    // Of one that was given up, the next Coordinator of this home asks again.
    const isRemoved = !this.#givenUp.signal.aborted && (await removeContainer(engine, name, logger));
    if (!isRemoved) this.#survivors = [name];
    this.#state = 'exited';
    const stderrTail = [this.#tail.toString(), error?.text].filter(Boolean).join('\n');
    const exit = judgeExit({ ...codeAndSignal(end?.exitCode), stopRequested, stderrTail, startError });
    return error === undefined ? exit : { ...exit, error };
  }

  /** Zero and no when the container is gone already. */
  async #inspect(): Promise<z.infer<typeof inspectSchema>['State']> {
    const { engine, name } = this.#options;
    const answer = await engine
      .call({ method: 'GET', path: `/containers/${name}/json` })
      .catch((error: unknown) => {
        if (isNoContainer(error)) return undefined;
        throw error;
      });
    return answer === undefined ? { Pid: 0, OOMKilled: false } : inspectSchema.parse(answer).State;
  }

  /** Waits on while the engine does not answer: it may be restarted. Undefined when the container is gone, or given up. */
  async #ownEnd(): Promise<ContainerEnd | undefined> {
    const { engine, name, logger } = this.#options;
    const { signal } = this.#givenUp;
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        const path = `/containers/${name}/wait`;
        const answer = await engine.call({ method: 'POST', path, signal });
        const exitCode = waitSchema.parse(answer).StatusCode;
        // The engine says it too when only a child was killed: a run that ended well went on without it.
        return { exitCode, isOutOfMemory: exitCode !== 0 && (await this.#inspect()).OOMKilled };
      } catch (error) {
        if (isNoContainer(error)) return undefined;
        if (failures === 0)
          logger.warn({ err: error }, 'the engine does not say how a run goes; asking again');
      }
      await delay(RETRY_MS, undefined, { ref: false });
    }
    return undefined;
  }
}
