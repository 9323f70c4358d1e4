import { join } from 'node:path';
import type { AgentAction, SeenExitCause } from '@aizuchi/shared/contract/tools/coordinator-tools';
import type { Logger } from '@aizuchi/shared/platform/logger';
import type { HoldMethod } from './hold/hold-method.ts';
import type { RunHold } from './hold/run-hold.ts';
import { type LaunchPlan, type MembershipKey, type PlanOptions, planLaunch } from './launch/launch-plan.ts';
import { StartError } from './launch/start-error.ts';
import { RunLog } from './log/run-log.ts';
import type { ReportOutcome, ReportQueue } from './loops/report-queue.ts';
import { AgentProcess } from './process/agent-process.ts';
import { endProcesses } from './process/end-processes.ts';
import { readStat } from './process/proc-table.ts';
import { judgeExit, type RunExit } from './process/process-state.ts';
import { findRunProcesses } from './process/run-processes.ts';
import type { JournalEntry, RunJournal } from './state/run-journal.ts';

export interface RunTableDeps {
  readonly home: string;
  readonly coordinatorId: string;
  readonly host: string;
  readonly bootId: string;
  readonly instanceId: string;
  readonly reports: ReportQueue;
  readonly journal: RunJournal;
  readonly holds: HoldMethod;
  readonly logger: Logger;
  readonly plan: PlanOptions;
  readonly onEnded?: (cause: SeenExitCause) => void;
}

/** A run from the order to start; it has no process while it is being prepared, or when it never had one. */
interface Entry {
  process?: AgentProcess;
  stopRequested: boolean;
}

/** The watchers of a dead Coordinator have begun already. */
const LEFTOVER_GRACE_MS = 2_000;
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

  /** Carries out one order to start; resolves when the run has ended and its end is reported. */
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
    for (const { runId, hold } of entries) {
      this.#runs.set(runId, { stopRequested: true });
      if (hold) this.#deps.holds.keep(hold);
    }
    return entries;
  }

  /** Ends the processes of those runs, and reports it to the server. */
  endLeftovers(entries: readonly JournalEntry[]): void {
    const reaped = entries.map((entry) => this.#reap(entry));
    for (const work of reaped) this.#keep(work);
    // Processes that no journal knows any more.
    this.#keep(Promise.allSettled(reaped).then(() => this.#deps.holds.clean()));
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
    const hold = entry.bootId === this.#deps.bootId ? entry.hold : undefined;
    const run = { runId, group: await this.#groupOf(entry), hold };
    const found = (await findRunProcesses(run)).map(({ pid }) => pid);
    const left = (await endProcesses(run, { graceMs: LEFTOVER_GRACE_MS })).map(({ pid }) => pid);
    this.#deps.logger.warn({ runId, found, left }, 'ended a run of an earlier Coordinator');
    if (left.length === 0) this.#release(runId, entry.hold);
  }

  /** The end of the run does not wait for this: the kernel may need a moment to remove dead processes. */
  #release(runId: string, hold: RunHold | undefined): void {
    if (!hold) return;
    const release = async () => {
      const { holds, logger } = this.#deps;
      if (!(await holds.release(hold))) logger.warn({ runId, hold }, 'control group of a run not removed');
    };
    this.#keep(release());
  }

  /** Its group, if its first process is still the same: its pid may belong to another process by now. */
  async #groupOf({ bootId, pid, startTicks }: JournalEntry): Promise<number | undefined> {
    if (pid === undefined || bootId !== this.#deps.bootId) return undefined;
    return (await readStat(pid))?.startTicks === startTicks ? pid : undefined;
  }

  async #live(membership: MembershipKey, runId: string, action: AgentAction, entry: Entry): Promise<RunExit> {
    const { logger, plan: options } = this.#deps;
    try {
      entry.process = await this.#spawn(await planLaunch(membership, runId, action, options));
    } catch (error) {
      if (!(error instanceof StartError)) logger.error({ err: error, runId }, 'run not started');
      const startError =
        error instanceof StartError ? error.message : options.texts.spawnFailed(reasonOf(error));
      return judgeExit({ exitCode: null, signal: null, stopRequested: false, startError, stderrTail: '' });
    }
    // The stop came while the run was being prepared.
    if (entry.stopRequested) void entry.process.stop();
    await this.#announce(entry.process).catch((error: unknown) => {
      logger.error({ err: error, runId }, 'run not announced');
    });
    const exit = await entry.process.exited;
    if (entry.process.survivors.length > 0) this.#complain(entry.process);
    else this.#release(runId, entry.process.hold);
    return exit;
  }

  async #spawn(plan: LaunchPlan): Promise<AgentProcess> {
    const { home, journal, holds, bootId, logger, plan: options } = this.#deps;
    const { runId } = plan;
    let hold: RunHold | undefined;
    try {
      hold = await holds.make(runId);
      await journal.write({ runId, bootId, hold });
      const log = await RunLog.open(join(home, 'logs', 'runs', `${runId}.log`));
      try {
        return new AgentProcess(plan, { log, logger: logger.child({ runId }), texts: options.texts, hold });
      } catch (error) {
        await log.close();
        throw error;
      }
    } catch (error) {
      this.#release(runId, hold);
      throw error;
    } finally {
      // A process that was started is in the folder by now.
      await plan.folder.close();
    }
  }

  #complain({ plan: { agentId, projectId, runId }, survivors }: AgentProcess): void {
    void this.#deps.reports.send(runId, 'report_agent_error', {
      agent_id: agentId,
      project_id: projectId,
      run_id: runId,
      coordinator_id: this.#deps.coordinatorId,
      error: this.#deps.plan.texts.wouldNotDie(survivors.join(', ')),
    });
  }

  async #announce(run: AgentProcess): Promise<void> {
    const { pid } = run;
    if (pid === undefined) return;
    const { runId } = run.plan;
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
      .then((outcome) => this.#stopIfLost(run, outcome));
    await journal.write({ runId, bootId, pid, startTicks, hold: run.hold }).catch((error: unknown) => {
      logger.warn({ err: error, runId }, 'run not written down');
    });
  }

  async #stopIfLost(run: AgentProcess, outcome: ReportOutcome): Promise<void> {
    if (outcome !== 'lost') return;
    this.#deps.logger.warn({ runId: run.plan.runId }, 'run is no longer ours: ending it');
    await run.stop();
  }

  async #end(runId: string, exit: RunExit): Promise<void> {
    const { reports, journal, logger, onEnded } = this.#deps;
    logger.info({ runId, cause: exit.cause, exitCode: exit.exitCode, signal: exit.signal }, 'run ended');
    onEnded?.(exit.cause);
    const outcome = await reports.send(runId, 'report_process_exit', {
      run_id: runId,
      exit_code: exit.exitCode,
      signal: exit.signal,
      cause: exit.cause,
      ...(exit.error === undefined ? {} : { error: exit.error }),
      ...(exit.stderrTail === '' ? {} : { stderr_tail: exit.stderrTail }),
    });
    this.#runs.delete(runId);
    // An end that was not reported is left to the next Coordinator of this home.
    if (outcome !== 'given_up') await journal.remove(runId);
  }
}

/** For people: what went wrong, without our paths. */
function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'internal error';
}
