import type { Logger } from '@aizuchi/shared/platform/logger';
import type { LaunchPlan } from '../launch/launch-plan.ts';
import { NO_SPARES, type Spares } from '../launch/spare-pool.ts';
import type { RunLog } from '../log/run-log.ts';
import type { JournalEntry, RunJournal } from '../state/run-journal.ts';
import type { RunErrorTexts } from '../texts/run-errors.ts';
import type { Adopted, Executor, RunHandle, Starting } from './executor.ts';
import { Strays } from './strays.ts';

export interface ContainerExecutorDeps {
  readonly instanceId: string;
  readonly bootId: string;
  readonly journal: Pick<RunJournal, 'write'>;
  readonly logger: Logger;
  readonly texts: RunErrorTexts;
  /** After how long it is looked for what came of a start that failed. */
  readonly remainsMs?: number;
}

/** Longer than a call of an engine: what was asked for may be made after its answer was lost, and after the removal. */
const REMAINS_MS = 30_000;

/** What was found of a run that nobody has. */
export interface Leftover {
  readonly wasThere: boolean;
  /** With its secret. */
  readonly isGone: boolean;
}

/**
 * What executors of containers do alike: each run has one name in the engine, by which the next Coordinator of this
 * home finds it; what has no run is a stray.
 */
export abstract class ContainerExecutor implements Executor {
  readonly #deps: ContainerExecutorDeps;
  /** The names of what is being made or belongs to a run of ours. */
  readonly #ours = new Set<string>();
  readonly #strays: Strays;

  constructor(deps: ContainerExecutorDeps) {
    this.#deps = deps;
    const find = () => this.findAll();
    const remove = (name: string) => this.remove(name);
    this.#strays = new Strays({ ours: this.#ours, find, remove, logger: deps.logger });
  }

  protected abstract readonly kind: NonNullable<JournalEntry['executor']>;
  /** Throws when the plan cannot be started here; nothing has been made then. */
  protected abstract check(plan: LaunchPlan): Promise<void>;
  protected abstract begin(
    name: string,
    plan: LaunchPlan,
    log: RunLog,
    starting: Starting,
  ): Promise<RunHandle>;
  /** Ends and removes what has this name: when it is gone, nothing of it lives. */
  protected abstract endLeftover(name: string): Promise<Leftover>;
  /** The names of all that this installation has. */
  protected abstract findAll(): Promise<readonly string[]>;
  /** False when it is still there. */
  protected abstract remove(name: string): Promise<boolean>;
  protected abstract asStartError(error: unknown, plan: LaunchPlan): unknown;

  async start(plan: LaunchPlan, log: RunLog, starting: Starting = {}): Promise<RunHandle> {
    const { journal, bootId } = this.#deps;
    await this.check(plan);
    await journal.write({ runId: plan.runId, bootId, executor: this.kind });
    const name = this.nameOf(plan.runId);
    this.#ours.add(name);
    try {
      const run = await this.begin(name, plan, log, starting);
      void run.exited.then(() => {
        this.#ours.delete(name);
        this.onExited(run);
      });
      return run;
    } catch (error) {
      const isGone = await this.undo(name);
      this.#ours.delete(name);
      // It may begin yet, or live.
      if (!isGone) void this.clean();
      else setTimeout(() => void this.#removeLate(name), this.#deps.remainsMs ?? REMAINS_MS).unref();
      throw this.asStartError(error, plan);
    }
  }

  async #removeLate(name: string): Promise<void> {
    const isGone = await this.remove(name).catch((error: unknown) => {
      this.#deps.logger.warn({ err: error, container: name }, 'not looked for what came of a start');
      return false;
    });
    if (!isGone) void this.clean();
  }

  get spares(): Spares {
    return NO_SPARES;
  }

  keep(entry: JournalEntry): void {
    this.#ours.add(this.nameOf(entry.runId));
  }

  async adopt({ runId }: JournalEntry): Promise<Adopted> {
    const name = this.nameOf(runId);
    try {
      const { wasThere, isGone } = await this.endLeftover(name);
      return wasThere ? { found: [name], left: isGone ? [] : [name] } : { found: [], left: [] };
    } finally {
      // One that is left is removed by `clean`, when the engine answers again.
      this.#ours.delete(name);
    }
  }

  clean(): Promise<void> {
    return this.#strays.clean();
  }

  async settled(): Promise<void> {
    // A run is removed before its exit.
  }

  /** After a start that failed; it may have begun. False when something of it is left. */
  protected async undo(name: string): Promise<boolean> {
    return (await this.endLeftover(name)).isGone;
  }

  protected onExited(run: RunHandle): void {
    if (run.survivors.length > 0) void this.clean();
  }

  /** The same for every Coordinator of this home, and no other has it. */
  protected nameOf(runId: string): string {
    return `aizuchi-${this.#deps.instanceId.slice(0, 12)}-${runId}`;
  }
}
