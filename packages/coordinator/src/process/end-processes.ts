import { setTimeout as delay } from 'node:timers/promises';
import { killCgroup } from '../hold/cgroup.ts';
import type { ProcStat } from './proc-table.ts';
import { findRunProcesses, type RunTrace } from './run-processes.ts';

/** A process beyond the reuse of its pid. */
export type ProcessIdentity = Pick<ProcStat, 'pid' | 'startTicks'>;

export interface EndOptions {
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  /**
   * The run's watcher, which ignores SIGTERM: nothing to wait for during the grace. It is killed like all others, since
   * an agent of its account can have put another process in its place.
   */
  readonly watcher?: () => ProcessIdentity | undefined;
}

type Look = (onFound?: (stat: ProcStat) => void) => Promise<ProcStat[]>;

const LOOK_EVERY_MS = 50;
/** After SIGKILL the kernel needs a moment; a process in an uninterruptible call may need longer. */
const KILL_PATIENCE_MS = 2_000;

/**
 * Ends whatever lives of the run: SIGTERM, the grace, SIGKILL until nothing is left. Looks at the processes themselves
 * each time; that a signal was sent proves nothing. Resolves with what would not die.
 */
export async function endProcesses(run: RunTrace, options: EndOptions): Promise<ProcStat[]> {
  // What hinders the look here hinders it in `killAll` too, which rejects then.
  await askToEnd(run, options).catch(() => undefined);
  return killAll(run);
}

async function askToEnd(run: RunTrace, { graceMs, watcher }: EndOptions): Promise<void> {
  const look: Look = async (onFound) => {
    const known = watcher?.();
    const isMeant = (stat: ProcStat) => stat.pid !== known?.pid || stat.startTicks !== known.startTicks;
    return (await findRunProcesses(run, (stat) => isMeant(stat) && onFound?.(stat))).filter(isMeant);
  };
  await look((stat) => signal(stat, 'SIGTERM'));
  await waitUntilGone(look, graceMs);
}

/** Nobody is left out. The group is killed also when nothing is seen in it. */
async function killAll(run: RunTrace): Promise<ProcStat[]> {
  const look: Look = (onFound) => findRunProcesses(run, onFound);
  const deadline = performance.now() + KILL_PATIENCE_MS;
  for (;;) {
    if (run.hold?.cgroup !== undefined) await killCgroup(run.hold.cgroup);
    let left = await look((stat) => signal(stat, 'SIGKILL'));
    if (left.length > 0) left = await waitUntilGone(look, LOOK_EVERY_MS);
    if (left.length === 0 || performance.now() >= deadline) return left;
  }
}

async function waitUntilGone(look: Look, patienceMs: number): Promise<ProcStat[]> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const beganAt = performance.now();
    const left = await look();
    const now = performance.now();
    if (left.length === 0 || now >= deadline) return left;
    // Where looking takes long it is done less often: it shall not take most of a processor.
    await delay(Math.min(Math.max(LOOK_EVERY_MS, 2 * (now - beganAt)), deadline - now));
  }
}

/** The process has just been seen: nobody else can have got its pid. One that we may not end is left, and told of. */
function signal({ pid }: ProcStat, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // Ended meanwhile, or not ours to end: the next look says which.
  }
}
