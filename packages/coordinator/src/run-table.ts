import { join } from 'node:path';
import type { MembershipKey } from '@aizuchi/shared/contract/run';
import { beginningOf } from '@aizuchi/shared/contract/storable';
import type { AgentAction, SeenExitCause } from '@aizuchi/shared/contract/tools/coordinator-tools';
import type { Logger } from '@aizuchi/shared/platform/logger';
import type { Executor, RunHandle, RunPlace } from './executor/executor.ts';
import { type LaunchPlan, type PlanOptions, planLaunch, type RunIds } from './launch/launch-plan.ts';
import { StartError } from './launch/start-error.ts';
import { RunLog } from './log/run-log.ts';
import type { Pulling } from './loops/pull-reports.ts';
import type { ReportOutcome, ReportQueue } from './loops/report-queue.ts';
import { judgeExit, type RunExit } from './process/process-state.ts';
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
  readonly executor: Executor;
  readonly worktrees: Pick<Worktrees, 'prepare' | 'working' | 'ended'>;
  readonly logger: Logger;
  readonly plan: PlanOptions;
  readonly onEnded?: (cause: SeenExitCause) => void;
}

/** A run from the order to start; it has no handle while it is being prepared, or when it never had one. */
interface Entry {
  handle?: RunHandle;
  stopRequested: boolean;
  /** How far the image is pulled that its start waits for. */
  pullPercent?: number | undefined;
  /** Ends what its start waits for. */
  readonly givenUp?: AbortController;
  /** Processes of it could not be ended. */
  isAnyLeft?: boolean;
}

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

  get handles(): RunHandle[] {
    return [...this.#runs.values()].flatMap(({ handle }) => handle ?? []);
  }

  /** Those that wait for their image, and how far it is pulled. */
  get pulling(): Pulling[] {
    return [...this.#runs].flatMap(([runId, { pullPercent }]) =>
      pullPercent === undefined ? [] : [{ run_id: runId, percent: pullPercent }],
    );
  }

  /** Those with a process, by their run. */
  get started(): (readonly [string, RunHandle])[] {
    return [...this.#runs].flatMap(([runId, { handle }]) => (handle ? [[runId, handle] as const] : []));
  }

  /** Carries out one order to start, in the background. `stopAll` waits until its end is reported. */
  start(membership: MembershipKey, action: AgentAction): void {
    const runId = action.run_id;
    if (runId === undefined || !RUN_ID.test(runId) || this.#runs.has(runId)) {
      this.#deps.logger.error({ ...membership, runId }, 'order to start without a usable run id');
      return;
    }
    const entry: Entry = { stopRequested: false, givenUp: new AbortController() };
    this.#runs.set(runId, entry);
    this.#keep(this.#live(membership, runId, action, entry).then((exit) => this.#end(runId, exit)));
  }

  /** False when there is nothing to stop, or the run is being stopped already. */
  stop(runId: string): boolean {
    const entry = this.#runs.get(runId);
    if (!entry || entry.stopRequested) return false;
    entry.stopRequested = true;
    entry.givenUp?.abort();
    void entry.handle?.stop();
    return true;
  }

  /** Ends all runs; resolves when every end is reported, or reporting has been given up, and nothing of them is left. */
  async stopAll(graceMs: number): Promise<void> {
    for (const entry of this.#runs.values()) {
      entry.stopRequested = true;
      entry.givenUp?.abort();
      void entry.handle?.stop(graceMs);
    }
    await Promise.all(this.#unfinished);
    await this.#deps.executor.settled();
  }

  /**
   * Takes over what an earlier Coordinator of this home has left; from now on the heartbeat names these runs.
   */
  async takeOverLeftovers(): Promise<JournalEntry[]> {
    const entries = (await this.#deps.journal.readAll()).filter(({ runId }) => RUN_ID.test(runId));
    for (const entry of entries) {
      this.#runs.set(entry.runId, { stopRequested: true });
      this.#deps.worktrees.working(entry.runId);
      this.#deps.executor.keep(entry);
    }
    return entries;
  }

  /** Ends the processes of those runs, and reports it to the server. */
  endLeftovers(entries: readonly JournalEntry[]): void {
    const reaped = entries.map((entry) => this.#reap(entry));
    for (const work of reaped) this.#keep(work);
    // Processes that no journal knows any more.
    this.#keep(Promise.allSettled(reaped).then(() => this.#deps.executor.clean()));
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
    await this.#adopt(entry).catch((error: unknown) =>
      this.#deps.logger.error({ err: error, runId }, 'looking for processes of an earlier run failed'),
    );
    await this.#end(runId, { cause: 'killed', exitCode: null, signal: null, stderrTail: '' });
  }

  async #adopt(entry: JournalEntry): Promise<void> {
    const { runId } = entry;
    const { found, left } = await this.#deps.executor.adopt(entry);
    this.#deps.logger.warn({ runId, found, left }, 'ended a run of an earlier Coordinator');
    if (left.length > 0) this.#runs.set(runId, { stopRequested: true, isAnyLeft: true });
  }

  async #live(membership: MembershipKey, runId: string, action: AgentAction, entry: Entry): Promise<RunExit> {
    const { logger, plan: options, worktrees } = this.#deps;
    const run = { ...membership, runId };
    try {
      const prepared = await worktrees.prepare(run, action);
      entry.handle = await this.#start(await planLaunch(run, prepared, options), entry);
    } catch (error) {
      if (entry.givenUp?.signal.aborted)
        return judgeExit({ exitCode: null, signal: null, stopRequested: true, stderrTail: '' });
      if (!(error instanceof StartError)) logger.error({ err: error, runId }, 'run not started');
      const startError =
        error instanceof StartError ? error.said : options.texts.spawnFailed(reasonOf(error));
      return judgeExit({ exitCode: null, signal: null, stopRequested: false, startError, stderrTail: '' });
    }
    // The stop came while the run was being prepared.
    if (entry.stopRequested) void entry.handle.stop();
    await this.#announce(run, entry.handle).catch((error: unknown) => {
      logger.error({ err: error, runId }, 'run not announced');
    });
    const exit = await entry.handle.exited;
    entry.isAnyLeft = entry.handle.survivors.length > 0;
    if (entry.isAnyLeft) this.#complain(run, entry.handle);
    return exit;
  }

  /** Closes the folder of the plan. */
  async #start(plan: LaunchPlan, entry: Entry): Promise<RunHandle> {
    const { home, executor } = this.#deps;
    const pulling = (percent: number | undefined) => {
      entry.pullPercent = percent;
    };
    try {
      const log = await RunLog.open(join(home, 'logs', 'runs', `${plan.runId}.log`));
      try {
        return await executor.start(plan, log, { signal: entry.givenUp?.signal, pulling });
      } catch (error) {
        await log.close();
        throw error;
      }
    } finally {
      // A run that was started is in the folder by now.
      await plan.folder.close();
    }
  }

  #complain({ agentId, projectId, runId }: RunIds, { survivors }: RunHandle): void {
    const left = this.#deps.plan.texts.wouldNotDie(survivors.join(', '));
    void this.#deps.reports.send(runId, 'report_agent_error', {
      agent_id: agentId,
      project_id: projectId,
      run_id: runId,
      coordinator_id: this.#deps.coordinatorId,
      error: beginningOf(left.text, MAX_ERROR_LENGTH),
      reason: left.reason,
    });
  }

  async #announce({ runId }: RunIds, handle: RunHandle): Promise<void> {
    const first = await handle.describe();
    if (!first) return;
    const { pid, startTicks } = first;
    const { coordinatorId, host, bootId, instanceId, journal, reports, logger } = this.#deps;
    void reports
      .send(runId, 'report_process_started', {
        run_id: runId,
        coordinator_id: coordinatorId,
        host,
        boot_id: bootId,
        instance_id: instanceId,
        pid,
        start_ticks: startTicks,
        ...placeOnWire(handle.place),
      })
      .then((outcome) => this.#stopIfLost(runId, handle, outcome));
    await journal.write({ runId, bootId, pid, startTicks, ...handle.trace }).catch((error: unknown) => {
      logger.warn({ err: error, runId }, 'run not written down');
    });
  }

  async #stopIfLost(runId: string, handle: RunHandle, outcome: ReportOutcome): Promise<void> {
    if (outcome !== 'lost') return;
    this.#deps.logger.warn({ runId }, 'run is no longer ours: ending it');
    await handle.stop();
  }

  async #end(runId: string, exit: RunExit): Promise<void> {
    const { reports, journal, worktrees, logger, onEnded, coordinatorId, instanceId } = this.#deps;
    logger.info({ runId, cause: exit.cause, exitCode: exit.exitCode, signal: exit.signal }, 'run ended');
    onEnded?.(exit.cause);
    const outcome = await reports.send(runId, 'report_process_exit', {
      run_id: runId,
      coordinator_id: coordinatorId,
      instance_id: instanceId,
      exit_code: exit.exitCode,
      signal: exit.signal,
      cause: exit.cause,
      ...(exit.error && {
        error: beginningOf(exit.error.text, MAX_ERROR_LENGTH),
        reason: exit.error.reason,
      }),
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

function placeOnWire({ executor, node, image, limits }: RunPlace) {
  return {
    executor,
    ...(node !== undefined && { node }),
    ...(image !== undefined && { image }),
    ...(limits && {
      limits: { memory_mb: limits.memoryMb, cpus: limits.cpus, processes: limits.processes },
    }),
  };
}

/** For people: what went wrong, without our paths. */
function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'internal error';
}
