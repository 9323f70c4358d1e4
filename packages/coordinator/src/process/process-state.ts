import type { SeenExitCause } from '@aizuchi/shared/contract/tools/coordinator-tools';
import type { SaidReason } from '../texts/run-errors.ts';

export const PROCESS_STATES = ['starting', 'running', 'stopping', 'exited'] as const;
export type ProcessState = (typeof PROCESS_STATES)[number];

/** How a run ended, as far as its Coordinator can see; only the server decides on stalled. */
export interface RunExit {
  readonly cause: SeenExitCause;
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Why it could not be started, in words that tell a person what to do. */
  readonly error?: SaidReason;
  readonly stderrTail: string;
}

/** What is known at the end of a process, before its cause is decided. */
export interface ProcessEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** We requested its end: then no end is a crash. */
  readonly stopRequested: boolean;
  readonly startError?: SaidReason | undefined;
  /** Its node has gone, or the swarm has taken it off its node. */
  readonly lostError?: SaidReason | undefined;
  readonly stderrTail: string;
}

/** The one place where an end gets its cause. */
export function judgeExit(end: ProcessEnd): RunExit {
  const { exitCode, signal, stderrTail } = end;
  if (end.startError !== undefined) {
    return { cause: 'could_not_start', exitCode: null, signal: null, error: end.startError, stderrTail };
  }
  if (end.lostError !== undefined)
    return { cause: 'lost', exitCode, signal, error: end.lostError, stderrTail };
  if (end.stopRequested) return { cause: 'killed', exitCode, signal, stderrTail };
  return { cause: exitCode === 0 ? 'finished' : 'crashed', exitCode, signal, stderrTail };
}
