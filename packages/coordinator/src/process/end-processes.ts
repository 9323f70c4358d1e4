import { setTimeout as delay } from 'node:timers/promises';
import { findRunProcesses, type ProcStat, type RunGroups, readStat } from './proc-table.ts';

export interface EndOptions {
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  /** The run's watcher, which ignores SIGTERM and ends with its lifeline: nothing to wait for. */
  readonly except?: () => number | undefined;
}

const LOOK_EVERY_MS = 50;
/** After SIGKILL the kernel needs a moment; a process in an uninterruptible call may need longer. */
const KILL_PATIENCE_MS = 2_000;

/**
 * Ends whatever lives of the runs: SIGTERM, the grace, SIGKILL until nothing is left. Looks at the processes
 * themselves each time; that a signal was sent proves nothing. Resolves with what would not die.
 */
export async function endProcesses(runs: RunGroups, options: EndOptions): Promise<ProcStat[]> {
  const look = async () => {
    const found = await findRunProcesses(runs);
    const except = options.except?.();
    return found.filter((stat) => stat.pid !== except);
  };
  let left = await look();
  for (const stat of left) await signalSeen(stat, 'SIGTERM');
  left = await waitUntilGone(look, options.graceMs);
  const deadline = performance.now() + KILL_PATIENCE_MS;
  while (left.length > 0 && performance.now() < deadline) {
    for (const stat of left) await signalSeen(stat, 'SIGKILL');
    left = await waitUntilGone(look, LOOK_EVERY_MS * 2);
  }
  return left;
}

async function waitUntilGone(look: () => Promise<ProcStat[]>, patienceMs: number): Promise<ProcStat[]> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const left = await look();
    if (left.length === 0 || performance.now() >= deadline) return left;
    await delay(LOOK_EVERY_MS);
  }
}

/** Signals the process that was seen, not another one that has got its pid since. */
async function signalSeen(seen: ProcStat, signal: NodeJS.Signals): Promise<void> {
  const now = await readStat(seen.pid);
  if (now?.startTicks !== seen.startTicks) return;
  try {
    process.kill(seen.pid, signal);
  } catch (error) {
    // It ended by itself in between.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
