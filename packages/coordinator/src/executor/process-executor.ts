import type { Logger } from '@aizuchi/shared/platform/logger';
import type { LaunchPlan } from '../launch/launch-plan.ts';
import type { Spares } from '../launch/spare-pool.ts';
import type { SpareRunners } from '../launch/spare-runners.ts';
import type { RunLog } from '../log/run-log.ts';
import { AgentProcess } from '../process/agent-process.ts';
import { endProcesses } from '../process/end-processes.ts';
import { readStat } from '../process/proc-table.ts';
import { findRunProcesses } from '../process/run-processes.ts';
import type { MarkMethod } from '../run-mark/mark-method.ts';
import type { RunMark } from '../run-mark/run-mark.ts';
import type { JournalEntry, RunJournal } from '../state/run-journal.ts';
import type { RunErrorTexts } from '../texts/run-errors.ts';
import type { Adopted, Executor, RunHandle } from './executor.ts';

export interface ProcessExecutorDeps {
  readonly bootId: string;
  readonly journal: Pick<RunJournal, 'write'>;
  readonly marks: MarkMethod;
  readonly spares: Pick<SpareRunners, 'take' | keyof Spares>;
  readonly logger: Logger;
  readonly texts: RunErrorTexts;
}

/** The watchers of a dead Coordinator have begun already. */
const LEFTOVER_GRACE_MS = 2_000;

/** Runs as processes of this host, each under its guard. */
export class ProcessExecutor implements Executor {
  readonly #deps: ProcessExecutorDeps;
  readonly #releases = new Set<Promise<void>>();

  constructor(deps: ProcessExecutorDeps) {
    this.#deps = deps;
  }

  get spares(): Spares {
    return this.#deps.spares;
  }

  /** A spare runner when there is one that fits, else a new process. */
  async start(plan: LaunchPlan, log: RunLog): Promise<RunHandle> {
    const { runId, stdinLine, secrets } = plan;
    const process =
      (await this.#claimed(runId, await this.#deps.spares.take(plan))) ?? (await this.#spawn(plan));
    process.assign({ stdinLine, secrets, log });
    void process.exited.then(() => {
      if (process.survivors.length === 0) this.#release(runId, process.mark);
    });
    return process;
  }

  keep({ mark }: JournalEntry): void {
    if (mark) this.#deps.marks.keep(mark);
  }

  async adopt(entry: JournalEntry): Promise<Adopted> {
    const { runId } = entry;
    const mark = entry.bootId === this.#deps.bootId ? entry.mark : undefined;
    const run = { traceId: entry.traceId ?? runId, group: await this.#groupOf(entry), mark };
    const found = (await findRunProcesses(run)).map(({ pid }) => pid);
    const left = (await endProcesses(run, { graceMs: LEFTOVER_GRACE_MS })).map(({ pid }) => pid);
    if (left.length === 0) this.#release(runId, entry.mark);
    return { found, left };
  }

  clean(): Promise<void> {
    return this.#deps.marks.clean();
  }

  async settled(): Promise<void> {
    await Promise.all(this.#releases);
  }

  /** Writes down whose process the spare is from now on; when that fails, it ends. */
  async #claimed(runId: string, spare: AgentProcess | undefined): Promise<AgentProcess | undefined> {
    if (!spare) return undefined;
    const { journal, bootId } = this.#deps;
    const { mark, trace } = spare;
    try {
      await journal.write({ runId, bootId, ...trace });
      if (spare.state === 'running' && !spare.hasEnded) return spare;
      // It has ended meanwhile, so the run gets a process of its own. What it has started may live for a moment.
      void spare.exited.then(() => {
        if (spare.survivors.length === 0) this.#release(runId, mark);
      });
      return undefined;
    } catch (error) {
      await spare.stop(0);
      this.#release(runId, mark);
      throw error;
    }
  }

  async #spawn(plan: LaunchPlan): Promise<AgentProcess> {
    const { journal, marks, bootId, logger, texts } = this.#deps;
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
      return new AgentProcess(program, { logger: logger.child({ runId }), texts, mark });
    } catch (error) {
      this.#release(runId, mark);
      throw error;
    }
  }

  /** The end of the run does not wait for this: the kernel may need a moment to remove dead processes. */
  #release(runId: string, mark: RunMark | undefined): void {
    if (!mark) return;
    const { marks, logger } = this.#deps;
    const released: Promise<void> = marks.release(mark).then((isReleased) => {
      this.#releases.delete(released);
      if (!isReleased) logger.warn({ runId, mark }, 'control group of a run not removed');
    });
    this.#releases.add(released);
  }

  /** Its group, if its first process is still the same: its pid may belong to another process by now. */
  async #groupOf({ bootId, pid, startTicks }: JournalEntry): Promise<number | undefined> {
    if (pid === undefined || bootId !== this.#deps.bootId) return undefined;
    return (await readStat(pid))?.startTicks === startTicks ? pid : undefined;
  }
}
