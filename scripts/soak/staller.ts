/**
 * Stops one random process below a given one at a time (stalls.ts), as a busy or suspended machine does, and lets it
 * go on. Ends when its starter disconnects, and prints how often it did so. Linux only: elsewhere it finds none.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { listProc, type ProcStat, readStat } from '../../packages/coordinator/src/process/proc-table.ts';

const STOPPED_MS = [50, 500] as const;
const BETWEEN_MS = [50, 350] as const;

const root = Number(process.argv[2]);
const ended = new AbortController();
process.once('disconnect', () => ended.abort());
// Ctrl-C reaches the whole group: without this, a process that is stopped would stay so.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => ended.abort());

let stalls = 0;
while (!ended.signal.aborted) {
  const pids = await stallable();
  const pid = pids[Math.floor(Math.random() * pids.length)];
  if (pid !== undefined && send(pid, 'SIGSTOP')) {
    stalls += 1;
    await pause(STOPPED_MS);
    send(pid, 'SIGCONT');
  }
  await pause(BETWEEN_MS);
}
console.log(`# stalls: ${stalls}`);

/**
 * Those that a test has stopped itself are left out. One that a test stops in the moment of a stall goes on with that
 * stall, and its test fails: not a fault.
 */
async function stallable(): Promise<number[]> {
  const found = await Promise.all((await listProc()).map(readStat));
  const processes = new Map(found.flatMap((stat) => (stat ? [[stat.pid, stat] as const] : [])));
  const isBelow = ({ parent }: ProcStat): boolean => {
    const above = processes.get(parent);
    return parent === root || (above !== undefined && isBelow(above));
  };
  return [...processes.values()]
    .filter((stat) => stat.pid !== process.pid && !stat.isStopped && !stat.isZombie && isBelow(stat))
    .map(({ pid }) => pid);
}

/** False: it has ended meanwhile. */
function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

async function pause([least, most]: readonly [number, number]): Promise<void> {
  const ms = least + Math.random() * (most - least);
  await wait(ms, undefined, { signal: ended.signal }).catch(() => undefined);
}
