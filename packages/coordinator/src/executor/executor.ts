import type { EXECUTORS, RunLimits } from '@aizuchi/shared/contract/run';
import type { LaunchPlan } from '../launch/launch-plan.ts';
import type { Spares } from '../launch/spare-pool.ts';
import type { RunLog } from '../log/run-log.ts';
import type { ProcessState, RunExit } from '../process/process-state.ts';
import type { JournalEntry } from '../state/run-journal.ts';

/** What the Coordinator needs of that which starts, watches and ends the agents of runs. */
export interface Executor {
  /** What it has started before anybody needs it. */
  readonly spares: Spares;
  /**
   * Starts the run. The plan's line is on its stdin, its output goes live to the log, without the plan's secrets; closes
   * the log at the end. Before anything lives, the run is in the journal. When this rejects, nothing lives and the log is
   * the caller's.
   */
  start(plan: LaunchPlan, log: RunLog, starting?: Starting): Promise<RunHandle>;
  /** Registers a run of an earlier Coordinator that may still live: nothing of it is used for another run. */
  keep(entry: JournalEntry): void;
  /** Ends what an earlier Coordinator has left of a run. */
  adopt(entry: JournalEntry): Promise<Adopted>;
  /** Ends and removes what no journal knows any more; call it after the runs of the journal are ended. */
  clean(): Promise<void>;
  /** Resolves when nothing is left to do for the runs that have ended; their end does not wait for it. */
  settled(): Promise<void>;
}

/** What goes on beside a start, which may take long. */
export interface Starting {
  /** It shall not start any more: the start then rejects early. */
  readonly signal?: AbortSignal | undefined;
  /** How far the image is pulled that it waits for, in percent; undefined: it waits for none any more. */
  readonly pulling?: ((percent: number | undefined) => void) | undefined;
}

/** A run that was started. */
export interface RunHandle {
  readonly state: ProcessState;
  /** Resolves once, when nothing of the run lives any more. Never rejects. */
  readonly exited: Promise<RunExit>;
  /** What could not be ended, known after the exit, by its pid or name: a person has to look at it. */
  readonly survivors: readonly (number | string)[];
  /** By what the next Coordinator finds the run. */
  readonly trace: RunTraceEntry;
  readonly place: RunPlace;
  /** SIGTERM, the grace, SIGKILL; resolves when nothing is left. A second call changes nothing. */
  stop(graceMs?: number): Promise<void>;
  /** Its first process, once it is known; undefined when there is none. */
  describe(): Promise<ProcessDescription | undefined>;
  /** What all its processes need together now, in MiB; undefined when that cannot be read. Never rejects. */
  memoryMb(): Promise<number | undefined>;
}

/** In what a run lives, and with which limits. */
export interface RunPlace {
  readonly executor: (typeof EXECUTORS)[number];
  /** The node of the swarm or the cluster on which its container is. */
  readonly node?: string;
  readonly image?: string;
  readonly limits?: RunLimits;
}

/** What the journal holds of a run beside its id, the boot and the first process. */
export type RunTraceEntry = Omit<JournalEntry, 'runId' | 'bootId' | 'pid' | 'startTicks'>;

export interface ProcessDescription {
  readonly pid: number;
  readonly startTicks: number;
}

/** What was found of an earlier run, and what of it could not be ended. */
export interface Adopted {
  readonly found: readonly (number | string)[];
  readonly left: readonly (number | string)[];
}
