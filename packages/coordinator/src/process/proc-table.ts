import { readdir, readFile } from 'node:fs/promises';
import type { RunHold } from './run-hold.ts';

/** One process as /proc shows it. */
export interface ProcStat {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly isZombie: boolean;
  /** Clock ticks between boot and start: with the pid it names a process beyond reuse. */
  readonly startTicks: number;
}

/** What is known of a run's processes. */
export interface RunTrace {
  readonly runId: string;
  /** Its process group. */
  readonly group?: number | undefined;
  readonly hold?: RunHold | undefined;
}

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
 * Every living process of the run: bearing its mark, or, where that can be taken off, in its process group or carrying
 * its AIZUCHI_RUN_ID. Handed to `onFound` at once, the youngest first: one that forks and ends all the time has another
 * pid by the end of the search.
 */
export async function findRunProcesses(
  run: RunTrace,
  onFound?: (stat: ProcStat) => void,
): Promise<ProcStat[]> {
  const found: ProcStat[] = [];
  for (const pid of (await listProc()).reverse()) {
    const stat = await readStat(pid);
    if (!stat || stat.isZombie || pid === process.pid || !(await belongsTo(run, stat))) continue;
    onFound?.(stat);
    found.push(stat);
  }
  return found;
}

async function belongsTo({ runId, group, hold }: RunTrace, { pid, group: own }: ProcStat): Promise<boolean> {
  if (hold && new RegExp(hold.pattern, 'm').test((await readProc(`/proc/${pid}/${hold.file}`)) ?? ''))
    return true;
  if (hold?.isCertain) return false;
  return own === group || (await runIdOf(pid)) === runId;
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
