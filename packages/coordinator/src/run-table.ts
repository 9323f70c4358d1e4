import { join } from 'node:path';
import type { MembershipKey } from '@aizuchi/shared/contract/run';
import { beginningOf } from '@aizuchi/shared/contract/storable';
import type { AgentAction, SeenExitCause } from '@aizuchi/shared/contract/tools/coordinator-tools';
import type { Logger } from '@aizuchi/shared/platform/logger';
import { type LaunchPlan, type PlanOptions, planLaunch, type RunIds } from './launch/launch-plan.ts';
import type { SpareRunners } from './launch/spare-runners.ts';
import { StartError } from './launch/start-error.ts';
import { RunLog } from './log/run-log.ts';
import type { ReportOutcome, ReportQueue } from './loops/report-queue.ts';
import { AgentProcess } from './process/agent-process.ts';
import { endProcesses } from './process/end-processes.ts';
import { readStat } from './process/proc-table.ts';
import { judgeExit, type RunExit } from './process/process-state.ts';
import { findRunProcesses } from './process/run-processes.ts';
import type { MarkMethod } from './run-mark/mark-method.ts';
import type { RunMark } from './run-mark/run-mark.ts';
import type { JournalEntry, RunJournal } from './state/run-journal.ts';
import type { Worktrees } from './worktrees/worktrees.ts';

export interface RunTableDeps {
  readonly home: string;
  readonly coordinatorId: string;
  readonly host: string;
  readonly bootId: string;
  readonly instanceId: string;
  readonly reports: ReportQueue;
  readonly journal: RunJournal;
  readonly marks: MarkMethod;
  readonly spares: Pick<SpareRunners, 'take'>;
  readonly worktrees: Pick<Worktrees, 'prepare' | 'working' | 'ended'>;
  readonly logger: Logger;
  readonly plan: PlanOptions;
  readonly onEnded?: (cause: SeenExitCause) => void;
}

/** A run from the order to start; it has no process while it is being prepared, or when it never had one. */
interface Entry {
  process?: AgentProcess;
  stopRequested: boolean;
  /** Processes of it could not be ended. */
  isAnyLeft?: boolean;
}

/** The watchers of a dead Coordinator have begun already. */
const LEFTOVER_GRACE_MS = 2_000;
/** As the server takes it: a path in it may be as long. */
const MAX_ERROR_LENGTH = 4_000;
const RUN_ID = /^[A-Za-z0-9_-]{1,128}$/;

/**
 * Every run of this Coordinator, from the order to start until the server has accepted its end. The heartbeat
 * names it as long, so the server never takes a run for lost whose report is only late.
 */
export class RunTable {
  readonly #deps: RunTableDeps;
  readonly #runs = new Map<string, Entry>();
  readonly #unfinished = new Set<Promise<void>>();

  constructor(deps: RunTableDeps) {
    this.#deps = deps;
  }

  get ids(): string[] {
    return [...this.#runs.keys()];
  }

  get processes(): AgentProcess[] {
    return [...this.#runs.values()].flatMap(({ process }) => process ?? []);
  }

  /** Carries out one order to start, in the background. `stopAll` waits until its end is reported. */
  start(membership: MembershipKey, action: AgentAction): void {
    const runId = action.run_id;
    if (runId === undefined || !RUN_ID.test(runId) || this.#runs.has(runId)) {
      this.#deps.logger.error({ ...membership, runId }, 'order to start without a usable run id');
      return;
    }
    const entry: Entry = { stopRequested: false };
    this.#runs.set(runId, entry);
    this.#keep(this.#live(membership, runId, action, entry).then((exit) => this.#end(runId, exit)));
  }

  /** False when there is nothing to stop, or the run is being stopped already. */
  stop(runId: string): boolean {
    const entry = this.#runs.get(runId);
    if (!entry || entry.stopRequested) return false;
    entry.stopRequested = true;
    void entry.process?.stop();
    return true;
  }

  /** Ends all runs; resolves when every end is reported, or reporting has been given up. */
  async stopAll(graceMs: number): Promise<void> {
    for (const entry of this.#runs.values()) {
      entry.stopRequested = true;
      void entry.process?.stop(graceMs);
    }
    await Promise.all(this.#unfinished);
  }

  /**
   * Takes over what an earlier Coordinator of this home has left; from now on the heartbeat names these runs.
   */
  async takeOverLeftovers(): Promise<JournalEntry[]> {
    const entries = (await this.#deps.journal.readAll()).filter(({ runId }) => RUN_ID.test(runId));
    for (const { runId, mark } of entries) {
      this.#runs.set(runId, { stopRequested: true });
      this.#deps.worktrees.working(runId);
      if (mark) this.#deps.marks.keep(mark);
    }
    return entries;
  }

  /** Ends the processes of those runs, and reports it to the server. */
  endLeftovers(entries: readonly JournalEntry[]): void {
    const reaped = entries.map((entry) => this.#reap(entry));
    for (const work of reaped) this.#keep(work);
    // Processes that no journal knows any more.
    this.#keep(Promise.allSettled(reaped).then(() => this.#deps.marks.clean()));
  }

  #keep(work: Promise<void>): void {
    const kept: Promise<void> = work
      .catch((error: unknown) => this.#deps.logger.error({ err: error }, 'run not brought to its end'))
      .finally(() => this.#unfinished.delete(kept));
    this.#unfinished.add(kept);
  }

  async #reap(entry: JournalEntry): Promise<void> {
    const { runId } = entry;
    // The end is reported in this case too: a server that waits for it would show the run as stopping for
    // ever.
    await this.#endProcessesOf(entry).catch((error: unknown) =>
      this.#deps.logger.error({ err: error, runId }, 'looking for processes of an earlier run failed'),
    );
    await this.#end(runId, { cause: 'killed', exitCode: null, signal: null, stderrTail: '' });
  }

  async #endProcessesOf(entry: JournalEntry): Promise<void> {
    const { runId } = entry;
    const mark = entry.bootId === this.#deps.bootId ? entry.mark : undefined;
    const run = { traceId: entry.traceId ?? runId, group: await this.#groupOf(entry), mark };
    const found = (await findRunProcesses(run)).map(({ pid }) => pid);
    const left = (await endProcesses(run, { graceMs: LEFTOVER_GRACE_MS })).map(({ pid }) => pid);
    this.#deps.logger.warn({ runId, found, left }, 'ended a run of an earlier Coordinator');
    if (left.length === 0) this.#release(runId, entry.mark);
    else this.#runs.set(runId, { stopRequested: true, isAnyLeft: true });
  }

  /** The end of the run does not wait for this: the kernel may need a moment to remove dead processes. */
  #release(runId: string, mark: RunMark | undefined): void {
    if (!mark) return;
    const release = async () => {
      const { marks, logger } = this.#deps;
      if (!(await marks.release(mark))) logger.warn({ runId, mark }, 'control group of a run not removed');
    };
    this.#keep(release());
  }

  /** Its group, if its first process is still the same: its pid may belong to another process by now. */
  async #groupOf({ bootId, pid, startTicks }: JournalEntry): Promise<number | undefined> {
    if (pid === undefined || bootId !== this.#deps.bootId) return undefined;
    return (await readStat(pid))?.startTicks === startTicks ? pid : undefined;
  }

  async #live(membership: MembershipKey, runId: string, action: AgentAction, entry: Entry): Promise<RunExit> {
    const { logger, plan: options, worktrees } = this.#deps;
    const run = { ...membership, runId };
    try {
      const prepared = await worktrees.prepare(run, action);
      entry.process = await this.#processFor(await planLaunch(run, prepared, options));
    } catch (error) {
      if (!(error instanceof StartError)) logger.error({ err: error, runId }, 'run not started');
      const startError =
        error instanceof StartError ? error.message : options.texts.spawnFailed(reasonOf(error));
      return judgeExit({ exitCode: null, signal: null, stopRequested: false, startError, stderrTail: '' });
    }
    // The stop came while the run was being prepared.
    if (entry.stopRequested) void entry.process.stop();
    await this.#announce(run, entry.process).catch((error: unknown) => {
      logger.error({ err: error, runId }, 'run not announced');
    });
    const exit = await entry.process.exited;
    entry.isAnyLeft = entry.process.survivors.length > 0;
    if (entry.isAnyLeft) this.#complain(run, entry.process);
    else this.#release(runId, entry.process.mark);
    return exit;
  }

  /** A spare runner when there is one that fits, else a new process. Closes the folder of the plan. */
  async #processFor(plan: LaunchPlan): Promise<AgentProcess> {
    const { home, spares } = this.#deps;
    const { runId, stdinLine, secrets } = plan;
    try {
      const log = await RunLog.open(join(home, 'logs', 'runs', `${runId}.log`));
      try {
        const process = (await this.#claimed(runId, await spares.take(plan))) ?? (await this.#spawn(plan));
        process.assign({ stdinLine, secrets, log });
        return process;
      } catch (error) {
        await log.close();
        throw error;
      }
    } finally {
      // A process that was started is in the folder by now.
      await plan.folder.close();
    }
  }

  /** Writes down whose process the spare is from now on; when that fails, it ends. */
  async #claimed(runId: string, spare: AgentProcess | undefined): Promise<AgentProcess | undefined> {
    if (!spare) return undefined;
    const { journal, bootId } = this.#deps;
    const { mark, plan } = spare;
    try {
      await journal.write({ runId, traceId: plan.traceId, bootId, mark });
      if (spare.state === 'running') return spare;
      // It has ended meanwhile, so the run gets a process of its own.
      this.#release(runId, mark);
      return undefined;
    } catch (error) {
      await spare.stop(0);
      this.#release(runId, mark);
      throw error;
    }
  }

  async #spawn(plan: LaunchPlan): Promise<AgentProcess> {
    const { journal, marks, bootId, logger, plan: options } = this.#deps;
    const { runId, stdinLine } = plan;
    let mark: RunMark | undefined;
    try {
      mark = await marks.make(runId);
      await journal.write({ runId, bootId, mark });
      const program = {
        ...plan,
        traceId: runId,
        entrance: plan.folder.self,
        readsStdin: stdinLine !== undefined,
      };
      return new AgentProcess(program, { logger: logger.child({ runId }), texts: options.texts, mark });
    } catch (error) {
      this.#release(runId, mark);
      throw error;
    }
  }

  #complain({ agentId, projectId, runId }: RunIds, { survivors }: AgentProcess): void {
    void this.#deps.reports.send(runId, 'report_agent_error', {
      agent_id: agentId,
      project_id: projectId,
      run_id: runId,
      coordinator_id: this.#deps.coordinatorId,
      error: beginningOf(this.#deps.plan.texts.wouldNotDie(survivors.join(', ')), MAX_ERROR_LENGTH),
    });
  }

  async #announce({ runId }: RunIds, process: AgentProcess): Promise<void> {
    const { pid, mark } = process;
    if (pid === undefined) return;
    const { traceId } = process.plan;
    const { coordinatorId, host, bootId, instanceId, journal, reports, logger } = this.#deps;
    const startTicks = (await readStat(pid))?.startTicks ?? 0;
    void reports
      .send(runId, 'report_process_started', {
        run_id: runId,
        coordinator_id: coordinatorId,
        host,
        boot_id: bootId,
        instance_id: instanceId,
        pid,
        start_ticks: startTicks,
      })
      .then((outcome) => this.#stopIfLost(runId, process, outcome));
    await journal.write({ runId, traceId, bootId, pid, startTicks, mark }).catch((error: unknown) => {
      logger.warn({ err: error, runId }, 'run not written down');
    });
  }

  async #stopIfLost(runId: string, process: AgentProcess, outcome: ReportOutcome): Promise<void> {
    if (outcome !== 'lost') return;
    this.#deps.logger.warn({ runId }, 'run is no longer ours: ending it');
    await process.stop();
  }

  async #end(runId: string, exit: RunExit): Promise<void> {
    const { reports, journal, worktrees, logger, onEnded } = this.#deps;
    logger.info({ runId, cause: exit.cause, exitCode: exit.exitCode, signal: exit.signal }, 'run ended');
    onEnded?.(exit.cause);
    const outcome = await reports.send(runId, 'report_process_exit', {
      run_id: runId,
      exit_code: exit.exitCode,
      signal: exit.signal,
      cause: exit.cause,
      ...(exit.error === undefined ? {} : { error: beginningOf(exit.error, MAX_ERROR_LENGTH) }),
      ...(exit.stderrTail === '' ? {} : { stderr_tail: exit.stderrTail }),
    });
    const isAnyLeft = this.#runs.get(runId)?.isAnyLeft;
    this.#runs.delete(runId);
    // An end that was not reported is left to the next Coordinator of this home.
    if (outcome !== 'given_up') await journal.remove(runId);
    // Nobody waits for this, and the end of this process least of all.
    void worktrees
      .ended(runId, isAnyLeft)
      .catch((error: unknown) => logger.error({ err: error, runId }, 'worktree of a run not looked at'));
  }
}

/** For people: what went wrong, without our paths. */
function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'internal error';
}
