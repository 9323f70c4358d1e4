import { readFileSync } from 'node:fs';
import { readdir, readFile, readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';

/** What a Postgres server writes into `postmaster.pid` of its data folder. */
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

/** Dead, but not yet collected: an orphan stays so where the first process of a container collects nobody. */
function isZombie(pid: number): boolean {
  if (process.platform !== 'linux') return false;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
  } catch {
    // Gone since the signal.
    return true;
  }
}

/**
 * Processes that work in this data folder (each Postgres process has it as its working directory), or
 * undefined where the system does not tell. A bare pid proves nothing: it may have been given to another
 * program since.
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
