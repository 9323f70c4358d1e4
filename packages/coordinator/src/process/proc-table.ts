import { readdir, readFile } from 'node:fs/promises';

/** One process as /proc shows it. */
export interface ProcStat {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** The whole process is dead. A process of which only the first thread has ended still lives. */
  readonly isZombie: boolean;
  /** By SIGSTOP, or by a debugger. */
  readonly isStopped: boolean;
  /**
   * Clock ticks between boot and start: together with the pid they identify a process even if its pid is used
   * again.
   */
  readonly startTicks: number;
}

/**
 * `/proc/<pid>/stat`; the name of the command is in parentheses and may itself contain spaces and
 * parentheses.
 */
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
    isZombie: (state === 'Z' || state === 'X') && Number(fields[17]) <= 1,
    isStopped: state === 'T' || state === 't',
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

/** In the order of their pids. Empty where there is no /proc. */
export async function listProc(): Promise<number[]> {
  try {
    return (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}

/** Undefined when the process has ended, or belongs to another account. */
export async function readProc(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'latin1');
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** The process has ended between two reads, or belongs to another account. */
function isGone(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES' || code === 'EPERM';
}
