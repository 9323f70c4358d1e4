import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Duplex, type Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@aizuchi/shared/platform/logger';
import type { ProcessDescription, RunHandle, RunPlace, RunTraceEntry } from '../executor/executor.ts';
import type { LaunchPlan } from '../launch/launch-plan.ts';
import { pumpOutput } from '../log/pump-output.ts';
import type { RunLog } from '../log/run-log.ts';
import { StderrTail } from '../log/stderr-tail.ts';
import { enterCgroup } from '../run-mark/cgroup.ts';
import type { RunMark } from '../run-mark/run-mark.ts';
import type { RunErrorTexts, SaidReason } from '../texts/run-errors.ts';
import { endProcesses, type ProcessIdentity } from './end-processes.ts';
import { memoryOf } from './memory.ts';
import { readStat } from './proc-table.ts';
import { judgeExit, type ProcessState, type RunExit } from './process-state.ts';
import { guardArguments, parseGuardLines, shellAs } from './run-guard.ts';
import { findRunProcesses } from './run-processes.ts';

/** The time between SIGTERM and SIGKILL when the end was requested. */
const STOP_GRACE_MS = 5_000;
/** The agent has ended by itself; its remaining processes get little time. */
const LEFTOVER_GRACE_MS = 1_000;
/**
 * No process of the run lives any more, so its output ends at once, unless a process outside the run holds
 * it.
 */
const OUTPUT_TIMEOUT_MS = 1_000;
const MAX_GUARD_CHARS = 1_000;

/** What is spawned. */
export interface ProcessPlan
  extends Pick<LaunchPlan, 'file' | 'args' | 'cwd' | 'env' | 'account' | 'mustWriteFolder'> {
  /** AIZUCHI_RUN_ID in `env`. */
  readonly traceId: string;
  /** The path by which the process enters `cwd`. */
  readonly entrance: string;
  /** Whether the program reads a line from stdin. */
  readonly readsStdin: boolean;
}

/** The run that the process works for. */
export interface Assignment extends Pick<LaunchPlan, 'stdinLine' | 'secrets'> {
  /** Closed by the process. */
  readonly log: RunLog;
}

export interface AgentProcessDeps {
  readonly logger: Logger;
  readonly texts: RunErrorTexts;
  readonly mark: RunMark | undefined;
}

/**
 * One agent as a process group under its guard. Uses plain `spawn` and not execa: what counts is the exit of
 * the agent itself and then of its group, while the promise of a library waits for streams that a grandchild
 * may hold. It does nothing before it is assigned to a run: until then its output waits.
 */
export class AgentProcess implements RunHandle {
  readonly plan: ProcessPlan;
  readonly place: RunPlace = { executor: 'process' };
  /** Resolves once, when no process of the run lives any more. Never rejects. */
  readonly exited: Promise<RunExit>;
  readonly #deps: AgentProcessDeps;
  readonly #child: ChildProcess;
  readonly #assigned = Promise.withResolvers<Assignment>();
  #assignment: Assignment | undefined;
  readonly #stderrTail = new StderrTail();
  #state: ProcessState = 'starting';
  #guardLines = '';
  /** 0: not known; no process has this number. */
  #startTicks = 0;
  #watcherPid: number | undefined;
  #watcher: ProcessIdentity | undefined;
  #stopping: Promise<void> | undefined;
  #survivors: readonly number[] = [];
  #isOutputOver = false;
  /** The reason why it could not be put into its control group: then it never ran. */
  #holdFault: SaidReason | undefined;
  readonly #released: Promise<void>;

  constructor(plan: ProcessPlan, deps: AgentProcessDeps) {
    this.plan = plan;
    this.#deps = deps;
    const { file, args, ...ids } = shellAs(plan.account, deps.mark, guardArguments(plan, deps.mark));
    this.#child = spawn(file, args, {
      // By its descriptor: the child enters the folder before it changes its account.
      cwd: plan.entrance,
      env: plan.env,
      // It has its own session and group; the child's pid is also the number of the group.
      detached: true,
      stdio: [plan.readsStdin ? 'pipe' : 'ignore', 'pipe', 'pipe', 'pipe'],
      ...ids,
    });
    const lifeline = this.#watchLifeline();
    this.#released = this.#release(lifeline);
    this.exited = this.#live(lifeline);
  }

  get state(): ProcessState {
    return this.#state;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Its own process has ended; what it has started may live. */
  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  get mark(): RunMark | undefined {
    return this.#deps.mark;
  }

  get trace(): RunTraceEntry {
    return { traceId: this.plan.traceId, mark: this.mark };
  }

  async describe(): Promise<ProcessDescription | undefined> {
    const { pid } = this;
    if (pid === undefined) return undefined;
    await this.#released;
    return { pid, startTicks: this.#startTicks };
  }

  async memoryMb(): Promise<number | undefined> {
    const processes = await findRunProcesses({
      traceId: this.plan.traceId,
      group: this.#child.pid,
      mark: this.mark,
    }).catch((error: unknown) => {
      this.#warn(error, 'memory of a run not read');
      return [];
    });
    return memoryOf(processes.map(({ pid }) => pid));
  }

  /** Once: from now on it works for this run, and its output goes to the log of the run. */
  assign(assignment: Assignment): void {
    this.#assignment = assignment;
    this.#assigned.resolve(assignment);
    // A spare that ended before it got its run.
    if (this.#isOutputOver) void this.#closeLog(assignment);
    const { stdin } = this.#child;
    if (!stdin) return;
    // The process may have ended before it read the line: its exit gives the reason.
    stdin.on('error', (error) => this.#warn(error, 'launch line not read'));
    stdin.end(`${assignment.stdinLine ?? ''}\n`);
  }

  /**
   * Processes that SIGKILL has not ended, known after the exit: they hang in the kernel, and a person has to
   * look at them.
   */
  get survivors(): readonly number[] {
    return this.#survivors;
  }

  /**
   * SIGTERM to all processes, the grace, SIGKILL; resolves when none is left. A second call changes nothing.
   */
  async stop(graceMs = STOP_GRACE_MS): Promise<void> {
    if (this.#state === 'exited') return;
    if (!this.#stopping) {
      this.#state = 'stopping';
      this.#stopping = this.#endAll(graceMs);
    }
    await this.exited;
  }

  async #live(lifeline: Duplex | undefined): Promise<RunExit> {
    const output = this.#assigned.promise.then((assignment) =>
      Promise.all([
        this.#pump(this.#child.stdout, undefined, assignment),
        this.#pump(this.#child.stderr, this.#stderrTail, assignment),
      ]),
    );
    const { exitCode, signal, startError } = await this.#ownExit();
    const stopRequested = this.#state === 'stopping';
    // The watcher has nothing to guard any more and ends the rest of the group.
    lifeline?.destroy();
    await (this.#stopping ?? this.#endAll(LEFTOVER_GRACE_MS));
    if (this.#assignment) await Promise.race([output, delay(OUTPUT_TIMEOUT_MS, undefined, { ref: false })]);
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
    this.#isOutputOver = true;
    if (this.#assignment) await this.#closeLog(this.#assignment);
    this.#state = 'exited';
    const stderrTail = this.#stderrTail.toString();
    return judgeExit({
      exitCode,
      signal,
      stopRequested,
      stderrTail,
      startError: startError ?? this.#holdFault ?? this.#guardFault(),
    });
  }

  async #closeLog({ log }: Assignment): Promise<void> {
    await log.close().catch((error: unknown) => this.#warn(error, 'run log not closed'));
  }

  /** Lets the guard continue once it is in its control group: its children are created there. */
  async #release(lifeline: Duplex | undefined): Promise<void> {
    const cgroup = this.#deps.mark?.cgroup;
    const { pid } = this.#child;
    try {
      // While it is held: later its pid may belong to another process.
      const stat = pid === undefined ? undefined : await readStat(pid).catch(() => undefined);
      // It was ended from outside meanwhile: its exit says how.
      if (this.hasEnded) return;
      this.#startTicks = stat?.startTicks ?? 0;
      if (cgroup !== undefined && pid !== undefined) await enterCgroup(cgroup, pid);
      lifeline?.write('\n');
    } catch (error) {
      const code = codeOf(error);
      if (code === 'ESRCH') return;
      this.#holdFault = this.#deps.texts.spawnFailed(code);
      this.#warn(error, 'run not put into its control group');
      this.#child.kill('SIGKILL');
    }
  }

  async #ownExit(): Promise<{ exitCode: number | null; signal: string | null; startError?: SaidReason }> {
    const failed = once(this.#child, 'error').then(([error]: unknown[]) => ({
      exitCode: null,
      signal: null,
      startError: this.#deps.texts.spawnFailed(error instanceof Error ? error.message : String(error)),
    }));
    const ended = new Promise<{ exitCode: number | null; signal: string | null }>((resolve) => {
      this.#child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
    });
    if (this.#child.pid !== undefined && this.#state === 'starting') this.#state = 'running';
    return Promise.race([failed, ended]);
  }

  async #endAll(graceMs: number): Promise<void> {
    await this.#released;
    const { mark } = this.#deps;
    const run = { traceId: this.plan.traceId, group: this.#child.pid, mark };
    try {
      const left = await endProcesses(run, { graceMs, watcher: () => this.#watcher });
      this.#survivors = left.map(({ pid }) => pid);
    } catch (error) {
      this.#warn(error, 'looking for processes failed');
    }
  }

  #watchLifeline(): Duplex | undefined {
    const lifeline = this.#child.stdio[3];
    if (!(lifeline instanceof Duplex)) return undefined;
    lifeline.on('data', (chunk: Buffer) => {
      if (this.#guardLines.length < MAX_GUARD_CHARS) this.#guardLines += chunk.toString('latin1');
      void this.#knowWatcher();
    });
    lifeline.on('error', (error) => this.#warn(error, 'lifeline broke'));
    return lifeline;
  }

  /** Read once: later the pid alone may belong to another process. */
  async #knowWatcher(): Promise<void> {
    const { watcherPid } = parseGuardLines(this.#guardLines);
    if (watcherPid === undefined || this.#watcherPid !== undefined) return;
    this.#watcherPid = watcherPid;
    // When the watcher is unknown, it gets SIGTERM and the grace like the other processes.
    this.#watcher = await readStat(watcherPid).catch(() => undefined);
  }

  #guardFault(): SaidReason | undefined {
    const { texts } = this.#deps;
    const { cwd, file, account } = this.plan;
    const { fault } = parseGuardLines(this.#guardLines);
    if (fault === 'directory') return texts.directoryNotWritable(cwd, account?.name ?? '');
    if (fault === 'command') return texts.commandNotExecutable(file, account?.name ?? '');
    return undefined;
  }

  async #pump(stream: Readable | null, tail: StderrTail | undefined, sink: Assignment): Promise<void> {
    if (stream) await pumpOutput(stream, { ...sink, tail, logger: this.#deps.logger });
  }

  #warn(error: unknown, sentence: string): void {
    this.#deps.logger.warn({ err: error }, sentence);
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'internal error';
}
