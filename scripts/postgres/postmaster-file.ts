import { readFileSync } from 'node:fs';
import { readdir, readFile, readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';

/** The content of `postmaster.pid`, which a Postgres server writes into its data folder. */
export interface Postmaster {
  pid: number;
  port: number;
  isReady: boolean;
}

export async function readPostmaster(dataDir: string): Promise<Postmaster | undefined> {
  const text = await readFile(join(dataDir, 'postmaster.pid'), 'utf8').catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw error;
    },
  );
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  const port = Number(lines[3]);
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  return { pid, port: Number.isInteger(port) ? port : 0, isReady: lines[7]?.trim() === 'ready' };
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  return !isZombie(pid);
}

/**
 * True for a process that is dead but not reaped: an orphan stays in this state in a container whose first process
 * does not reap.
 */
function isZombie(pid: number): boolean {
  if (process.platform !== 'linux') return false;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
  } catch {
    // The process has ended since the signal.
    return true;
  }
}

/**
 * The processes that work in this data folder (it is the working directory of each Postgres process), or undefined if
 * the system does not show it. A pid alone proves nothing, because it may belong to another program by now.
 */
export async function processesIn(dataDir: string): Promise<number[] | undefined> {
  if (process.platform !== 'linux') return undefined;
  const folder = await realpath(dataDir);
  const found: number[] = [];
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const cwd = await readlink(`/proc/${entry}/cwd`).catch(() => undefined);
    if (cwd === folder) found.push(Number(entry));
  }
  return found;
}
