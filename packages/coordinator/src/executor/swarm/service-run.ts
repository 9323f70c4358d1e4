import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@aizuchi/shared/platform/logger';
import { pumpOutput } from '../../log/pump-output.ts';
import type { RunLog } from '../../log/run-log.ts';
import { StderrTail } from '../../log/stderr-tail.ts';
import { judgeExit, type ProcessState, type RunExit } from '../../process/process-state.ts';
import type { SaidReason } from '../../texts/run-errors.ts';
import { codeAndSignal } from '../docker/container-end.ts';
import { containerMemory } from '../docker/container-memory.ts';
import type { DockerEngine } from '../docker/docker-engine.ts';
import { splitOutput } from '../docker/framed-output.ts';
import type { ProcessDescription, RunHandle, RunPlace, RunTraceEntry } from '../executor.ts';
import { FollowedOutput } from '../followed-output.ts';
import { removeService, stopService } from './service-end.ts';
import { SERVICE_GRACE_MS } from './service-spec.ts';
import type { SwarmWatch } from './swarm-watch.ts';
import { endOfBegun, type Task, type TaskEnd } from './task-state.ts';

export interface ServiceRunOptions {
  readonly engine: DockerEngine;
  readonly watch: SwarmWatch;
  /** The name of the service. */
  readonly name: string;
  /** As it was when it had begun. */
  readonly task: Task;
  readonly place: RunPlace;
  readonly log: RunLog;
  readonly secrets: readonly string[];
  readonly logger: Logger;
  /** What an end means of which the code alone says too little. */
  readonly explain: (end: TaskEnd) => EndTexts;
}

export interface EndTexts {
  readonly startError?: SaidReason;
  readonly lostError?: SaidReason;
  readonly error?: SaidReason;
  /** What the code stands for. */
  readonly signal?: NodeJS.Signals;
}

/** After the grace: until the node has told the manager. */
const KILL_TIMEOUT_MS = 10_000;

/** One run in its service, from the start of its task until the service and its secret are removed. */
export class ServiceRun implements RunHandle {
  readonly exited: Promise<RunExit>;
  readonly trace: RunTraceEntry = { executor: 'swarm' };
  readonly #options: ServiceRunOptions;
  readonly #tail = new StderrTail();
  readonly #givenUp = new AbortController();
  #state: ProcessState = 'running';
  #stopping: Promise<void> | undefined;
  #survivors: readonly string[] = [];

  constructor(options: ServiceRunOptions) {
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

  /** Its pid on its node, which is not one of this host; 1, which it is in its container, when it is not known. */
  async describe(): Promise<ProcessDescription> {
    return { pid: this.#options.task.Status.ContainerStatus?.PID || 1, startTicks: 0 };
  }

  /** Known of what is on the manager itself only: it does not ask other nodes. */
  async memoryMb(): Promise<number | undefined> {
    const { engine, task } = this.#options;
    const id = task.Status.ContainerStatus?.ContainerID;
    return id === undefined || this.#state === 'exited' ? undefined : containerMemory(engine, id);
  }

  /** The grace is that of the service, whatever is asked for. */
  async stop(): Promise<void> {
    if (this.#state === 'exited') return;
    if (!this.#stopping) {
      this.#state = 'stopping';
      this.#stopping = this.#end();
    }
    await this.exited;
  }

  async #end(): Promise<void> {
    const { engine, name, logger } = this.#options;
    await stopService(engine, name).catch((error: unknown) =>
      logger.warn({ err: error, service: name }, 'service not stopped'),
    );
    const late = delay(SERVICE_GRACE_MS + KILL_TIMEOUT_MS, 'late', { ref: false });
    if ((await Promise.race([this.exited, late])) === 'late') this.#givenUp.abort();
  }

  async #live(): Promise<RunExit> {
    const { engine, name, task, log, secrets, logger, explain } = this.#options;
    const output = new FollowedOutput({
      read: async ({ isFollowing, signal }) => {
        const query = { stdout: '1', stderr: '1', follow: isFollowing ? '1' : '0' };
        return splitOutput(await engine.read({ path: `/tasks/${task.ID}/logs`, query, signal }));
      },
      logger,
    });
    const pumped = Promise.all([
      pumpOutput(output.stdout, { log, secrets, logger }),
      pumpOutput(output.stderr, { log, secrets, logger, tail: this.#tail }),
    ]);
    const end = await this.#ownEnd();
    const stopRequested = this.#state === 'stopping';
    await output.end({ isReachable: end?.kind === 'ended' || end?.kind === 'taken-off' });
    await pumped;
    const { startError, lostError, error, signal } = end && !stopRequested ? explain(end) : {};
    const said = error ?? lostError;
    // Also where people look for the last words of a program.
    if (said !== undefined) await log.write(Buffer.from(`${said.text}\n`)).catch(() => undefined);
    await log.close().catch((reason: unknown) => logger.warn({ err: reason }, 'run log not closed'));
    if (!(await removeService(engine, name, logger))) this.#survivors = [name];
    // The removal is what ends it at its node, which then says nothing of it any more.
    else if (end?.kind === 'taken-off' && end.mayLive) await delay(SERVICE_GRACE_MS);
    this.#state = 'exited';
    const stderrTail = [this.#tail.toString(), said?.text].filter(Boolean).join('\n');
    const code = end?.kind === 'ended' ? end.exitCode : undefined;
    const how = signal ? { exitCode: null, signal } : codeAndSignal(code);
    const exit = judgeExit({ ...how, stopRequested, stderrTail, startError, lostError });
    return error === undefined ? exit : { ...exit, error };
  }

  /** Undefined when it was given up. */
  #ownEnd(): Promise<TaskEnd | undefined> {
    const { watch, task } = this.#options;
    const isStopping = () => this.#state === 'stopping';
    return watch.until((sight) => endOfBegun(task.ID, sight, isStopping()), this.#givenUp.signal);
  }
}
