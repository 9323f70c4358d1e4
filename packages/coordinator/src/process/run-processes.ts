import { listCgroup } from '../run-mark/cgroup.ts';
import type { RunMark } from '../run-mark/run-mark.ts';
import { listProc, type ProcStat, readProc, readStat } from './proc-table.ts';

/** What identifies the processes of a run. */
export interface RunTrace {
  /** AIZUCHI_RUN_ID in their environment: the run, or the spare runner that the run was given to. */
  readonly traceId: string;
  /** Its process group. */
  readonly group?: number | undefined;
  readonly mark?: RunMark | undefined;
}

interface Search {
  readonly run: RunTrace;
  readonly onFound: ((stat: ProcStat) => void) | undefined;
  readonly found: ProcStat[];
}

/**
 * Finds every living process of the run: those that have its mark, or, where a process can remove the mark,
 * those in its process group or with its trace id. Each is passed to `onFound` at once, the youngest
 * first: a process that forks and ends all the time has another pid at the end of the search. `onFound` must
 * not throw, because others may share the search.
 */
export async function findRunProcesses(
  run: RunTrace,
  onFound?: (stat: ProcStat) => void,
): Promise<ProcStat[]> {
  const search: Search = { run, onFound, found: [] };
  const listed = await listedByKernel(run);
  await (listed ? lookThrough(listed, [search]) : searchAll(search));
  return search.found;
}

/** A group that no process can leave contains the whole run, so the rest of /proc need not be read. */
async function listedByKernel({ mark }: RunTrace): Promise<number[] | undefined> {
  return mark?.cgroup !== undefined && mark.isCertain ? listCgroup(mark.cgroup) : undefined;
}

let waiting: Search[] = [];
let running: Promise<void> = Promise.resolve();
let next: Promise<void> | undefined;

/**
 * Reads /proc once for all callers that arrive while another reading is under way: many runs that end
 * together take hardly longer than one. A caller never joins a reading that has begun, because that may have
 * missed later forks.
 */
function searchAll(search: Search): Promise<void> {
  waiting.push(search);
  next ??= running.then(async () => {
    const searches = waiting;
    waiting = [];
    next = undefined;
    const reading = listProc().then((pids) => lookThrough(pids, searches));
    running = reading.catch(() => undefined);
    await reading;
  });
  return next;
}

async function lookThrough(pids: readonly number[], searches: readonly Search[]): Promise<void> {
  for (const pid of pids.toReversed()) {
    const stat = await readStat(pid);
    if (!stat || stat.isZombie || pid === process.pid) continue;
    const texts = new Map<string, string>();
    const read = async (file: string) => {
      const text = texts.get(file) ?? (await readProc(`/proc/${pid}/${file}`)) ?? '';
      texts.set(file, text);
      return text;
    };
    for (const { run, onFound, found } of searches) {
      if (!(await belongsTo(run, stat, read))) continue;
      onFound?.(stat);
      found.push(stat);
    }
  }
}

async function belongsTo(
  { traceId, group, mark }: RunTrace,
  { group: own }: ProcStat,
  read: (file: string) => Promise<string>,
): Promise<boolean> {
  if (mark && new RegExp(mark.pattern, 'm').test(await read(mark.file))) return true;
  if (mark?.isCertain) return false;
  return own === group || (await read('environ')).split('\0').includes(`AIZUCHI_RUN_ID=${traceId}`);
}
