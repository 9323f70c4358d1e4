import { setTimeout as delay } from 'node:timers/promises';
import { killCgroup } from './cgroup.ts';
import { findRunProcesses, type ProcStat, type RunTrace } from './proc-table.ts';

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
 * Ends whatever lives of the run: SIGTERM, the grace, SIGKILL until nothing is left. Looks at the processes themselves
 * each time; that a signal was sent proves nothing. Resolves with what would not die.
 */
export async function endProcesses(run: RunTrace, options: EndOptions): Promise<ProcStat[]> {
  const look = async (onFound?: (stat: ProcStat) => void) => {
    const except = options.except?.();
    const isMeant = ({ pid }: ProcStat) => pid !== except;
    return (await findRunProcesses(run, (stat) => isMeant(stat) && onFound?.(stat))).filter(isMeant);
  };
  await look((stat) => signal(stat, 'SIGTERM'));
  let left = await waitUntilGone(look, options.graceMs);
  const deadline = performance.now() + KILL_PATIENCE_MS;
  while (left.length > 0 && performance.now() < deadline) {
    if (run.hold?.cgroup !== undefined) await killCgroup(run.hold.cgroup);
    await look((stat) => signal(stat, 'SIGKILL'));
    left = await waitUntilGone(look, LOOK_EVERY_MS);
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

/** The process has just been seen: nobody else can have got its pid. One that we may not end is left, and told of. */
function signal({ pid }: ProcStat, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}
