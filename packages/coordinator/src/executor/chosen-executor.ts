import type { LaunchPlan } from '../launch/launch-plan.ts';
import type { Spares } from '../launch/spare-pool.ts';
import type { RunLog } from '../log/run-log.ts';
import type { JournalEntry } from '../state/run-journal.ts';
import type { Adopted, Executor, RunHandle, Starting } from './executor.ts';

/**
 * Runs begin in containers; what an earlier Coordinator has left as processes of this host is ended as such. With runs
 * that are left in containers of another kind the Coordinator does not start (other-executor.ts).
 */
export class ChosenExecutor implements Executor {
  readonly #containers: Executor;
  readonly #processes: Executor;

  constructor(executors: { readonly containers: Executor; readonly processes: Executor }) {
    this.#containers = executors.containers;
    this.#processes = executors.processes;
  }

  get spares(): Spares {
    return this.#containers.spares;
  }

  start(plan: LaunchPlan, log: RunLog, starting?: Starting): Promise<RunHandle> {
    return this.#containers.start(plan, log, starting);
  }

  keep(entry: JournalEntry): void {
    this.#of(entry).keep(entry);
  }

  adopt(entry: JournalEntry): Promise<Adopted> {
    return this.#of(entry).adopt(entry);
  }

  async clean(): Promise<void> {
    await Promise.all([this.#containers.clean(), this.#processes.clean()]);
  }

  async settled(): Promise<void> {
    await Promise.all([this.#containers.settled(), this.#processes.settled()]);
  }

  #of({ executor }: JournalEntry): Executor {
    return executor === undefined ? this.#processes : this.#containers;
  }
}
