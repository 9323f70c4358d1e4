import { readdir, readFile } from 'node:fs/promises';

/** One process as /proc shows it. */
export interface ProcStat {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly isZombie: boolean;
  /** Clock ticks between boot and start: with the pid it names a process beyond reuse. */
  readonly startTicks: number;
}

/** Runs by their id, with their process group as far as it is known. */
export type RunGroups = ReadonlyMap<string, number | undefined>;

/** `/proc/<pid>/stat`; the command's name stands in parentheses and may itself hold spaces and parentheses. */
export function parseStat(text: string): ProcStat | undefined {
  const head = text.slice(0, text.indexOf(' '));
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group] = fields;
  const startTicks = fields[19];
  if (!/^\d+$/.test(head) || startTicks === undefined) return undefined;
  return {
    pid: Number(head),
    parent: Number(parent),
    group: Number(group),
    isZombie: state === 'Z' || state === 'X',
    startTicks: Number(startTicks),
  };
}

/** Undefined when there is no such process any more, or no /proc on this system. */
export async function readStat(pid: number): Promise<ProcStat | undefined> {
  const text = await readProc(`/proc/${pid}/stat`);
  return text === undefined ? undefined : parseStat(text);
}

export async function readBootId(): Promise<string> {
  return (await readProc('/proc/sys/kernel/random/boot_id'))?.trim() ?? 'unknown';
}

/**
 * Every living process of the runs: in the process group of one, or carrying its AIZUCHI_RUN_ID, which its
 * descendants inherit even into a session of their own.
 */
export async function findRunProcesses(runs: RunGroups): Promise<ProcStat[]> {
  const groups = new Set([...runs.values()].filter((group) => group !== undefined));
  const found: ProcStat[] = [];
  for (const entry of await listProc()) {
    const stat = await readStat(entry);
    if (!stat || stat.isZombie || stat.pid === process.pid) continue;
    if (groups.has(stat.group) || runs.has((await runIdOf(entry)) ?? '')) found.push(stat);
  }
  return found;
}

async function runIdOf(pid: number): Promise<string | undefined> {
  const environ = await readProc(`/proc/${pid}/environ`);
  return environ
    ?.split('\0')
    .find((variable) => variable.startsWith('AIZUCHI_RUN_ID='))
    ?.slice('AIZUCHI_RUN_ID='.length);
}

async function listProc(): Promise<number[]> {
  try {
    return (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}

async function readProc(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'latin1');
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** The process has ended between two looks, or belongs to somebody else. */
function isGone(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES' || code === 'EPERM';
}
