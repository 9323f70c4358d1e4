import { setTimeout as delay } from 'node:timers/promises';
import { killCgroup } from '../run-mark/cgroup.ts';
import type { ProcStat } from './proc-table.ts';
import { findRunProcesses, type RunTrace } from './run-processes.ts';

/** Identifies a process even if its pid is used again. */
export type ProcessIdentity = Pick<ProcStat, 'pid' | 'startTicks'>;

export interface EndOptions {
  /** The time between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  /**
   * The watcher of the run, which ignores SIGTERM: the grace does not wait for it. It is killed like all
   * others, because an agent of its account can have put another process in its place.
   */
  readonly watcher?: () => ProcessIdentity | undefined;
}

type Look = (onFound?: (stat: ProcStat) => void) => Promise<ProcStat[]>;

const LOOK_EVERY_MS = 50;
/** After SIGKILL the kernel needs a moment; a process in an uninterruptible call may need longer. */
const KILL_TIMEOUT_MS = 2_000;

/**
 * Ends all processes of the run: SIGTERM, the grace, SIGKILL until none is left. Looks at the processes
 * themselves each time, because a sent signal proves nothing. Resolves with the processes that did not end.
 */
export async function endProcesses(run: RunTrace, options: EndOptions): Promise<ProcStat[]> {
  // An error here happens in `killAll` too, which then rejects.
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

/** No process is left out. The group is killed even if no process is seen in it. */
async function killAll(run: RunTrace): Promise<ProcStat[]> {
  const look: Look = (onFound) => findRunProcesses(run, onFound);
  const deadline = performance.now() + KILL_TIMEOUT_MS;
  for (;;) {
    if (run.mark?.cgroup !== undefined) await killCgroup(run.mark.cgroup);
    let left = await look((stat) => signal(stat, 'SIGKILL'));
    if (left.length > 0) left = await waitUntilGone(look, LOOK_EVERY_MS);
    if (left.length === 0 || performance.now() >= deadline) return left;
  }
}

async function waitUntilGone(look: Look, timeoutMs: number): Promise<ProcStat[]> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const beganAt = performance.now();
    const left = await look();
    const now = performance.now();
    if (left.length === 0 || now >= deadline) return left;
    // When a search takes long, it is done less often, so that it does not use most of a processor.
    await delay(Math.min(Math.max(LOOK_EVERY_MS, 2 * (now - beganAt)), deadline - now));
  }
}

/**
 * The process has just been seen: no other process can have its pid. A process that we may not end is left
 * and reported.
 */
function signal({ pid }: ProcStat, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process ended meanwhile, or we may not end it: the next search shows which.
  }
}
