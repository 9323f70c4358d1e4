import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SET_LIMIT, shellAs } from '../process/run-guard.ts';
import { cgroupPlaces, enterCgroup, killCgroup, listCgroup, makeCgroup, removeCgroup } from './cgroup.ts';
import { startCgroupKeeper } from './cgroup-keeper.ts';
import { cgroupMark, groupMark, limitMark, type MarkKind, type RunMark } from './run-mark.ts';

/** The method by which this Coordinator holds the processes of a run together; chosen once. */
export interface MarkMethod {
  readonly kind: MarkKind;
  /**
   * The mark for a run that is about to start; undefined where there is no mark. Marks that are in use
   * differ.
   */
  make(traceId: string): Promise<RunMark | undefined>;
  /**
   * Registers the mark of a run of an earlier Coordinator that may still live: `make` does not give it again.
   */
  keep(mark: RunMark): void;
  /**
   * Releases the mark of a run whose processes have all ended. Idempotent, never rejects; false when its
   * control group could not be removed.
   */
  release(mark: RunMark): Promise<boolean>;
  /**
   * Ends and removes what earlier Coordinators of this home have left; call it after their runs are ended.
   */
  clean(): Promise<void>;
}

export interface MarkOptions {
  /** Groups of another home belong to another installation. */
  readonly home: string;
  /** Of the home, from `instanceIdOf`: in another mount namespace another home can have the same path. */
  readonly instanceId: string;
  /** The account of the agents, when it is not our own. */
  readonly account: { readonly uid: number; readonly gid: number } | undefined;
}

const REMOVE_TIMEOUT_MS = 2_000;

/** Chooses the best method that works here, by a trial with a process; leaves nothing behind. */
export async function chooseMarkMethod(options: MarkOptions): Promise<MarkMethod> {
  const { account } = options;
  const prefix = await prefixOf(options);
  const places = await cgroupPlaces();
  const ours = prefix + randomBytes(4).toString('hex');
  // In every place: the method of an earlier Coordinator may differ from the method of this one.
  const clean = async () => {
    for (const { folder } of places) await cleanPlace(folder, prefix, join(folder, ours));
  };
  for (const { version, folder } of places) {
    const parent = join(folder, ours);
    const make = (traceId: string) => cgroupMark(parent, traceId, account !== undefined);
    const works = await isEffective(make('probe'), account);
    await removeCgroup(parent);
    if (works) return { kind: `cgroup v${version}`, clean, ...inCgroups(parent, make) };
  }
  if (account && (await isEffective(groupMark(), account)))
    return { kind: 'group', clean, ...marking(groupMark) };
  const most = await ownLimit();
  const limit = limitMark(most);
  if (limit && (await isEffective(limit, account)))
    return { kind: 'limit', clean, ...marking(() => limitMark(most)) };
  return { kind: 'none', clean, ...marking(() => undefined) };
}

type Marks = Pick<MarkMethod, 'make' | 'keep' | 'release'>;

/** Marks by number; a number that is in use is not given again. */
export function marking(choose: () => RunMark | undefined): Marks {
  const inUse = new Set<string>();
  return {
    async make() {
      let mark = choose();
      while (mark && inUse.has(mark.pattern)) mark = choose();
      if (mark) inUse.add(mark.pattern);
      return mark;
    },
    keep: ({ pattern }) => void inUse.add(pattern),
    async release(mark) {
      inUse.delete(mark.pattern);
      return mark.cgroup === undefined || releaseCgroup(mark.cgroup);
    },
  };
}

function inCgroups(parent: string, choose: (traceId: string) => RunMark): Marks {
  let isKept = false;
  return {
    async make(traceId) {
      await makeCgroup(join(parent, traceId));
      if (!isKept) startCgroupKeeper(parent);
      isKept = true;
      return choose(traceId);
    },
    // A group is named after its run and its Coordinator.
    keep: () => undefined,
    release: async ({ cgroup }) => cgroup === undefined || releaseCgroup(cgroup),
  };
}

async function cleanPlace(folder: string, prefix: string, ours: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  const others = names.filter((name) => name.startsWith(prefix)).map((name) => join(folder, name));
  await Promise.all(others.filter((path) => path !== ours).map(endCgroup));
}

/** No process in the group belongs to a run any more. */
async function endCgroup(folder: string): Promise<void> {
  const deadline = performance.now() + REMOVE_TIMEOUT_MS;
  while (!(await removeCgroup(folder)) && performance.now() < deadline) {
    await killCgroup(folder);
    for (const pid of (await listCgroup(folder)) ?? []) kill(pid);
    await delay(50);
  }
}

function kill(pid: number): void {
  try {
    if (pid !== process.pid) process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended meanwhile, or we may not end it: then the group remains.
  }
}

/**
 * Removes the group after the kernel has removed its dead processes. Never rejects; false when a process
 * lives in it.
 */
async function releaseCgroup(folder: string): Promise<boolean> {
  const deadline = performance.now() + REMOVE_TIMEOUT_MS;
  while (!(await removeCgroup(folder))) {
    if (performance.now() > deadline) return false;
    await delay(50);
  }
  return true;
}

/**
 * The same for every Coordinator of a home, and different for any other home, including a copy of this one.
 * The path alone is not enough: in two containers that see the same control groups, two homes have the same
 * path.
 */
export async function prefixOf({ home, instanceId }: Omit<MarkOptions, 'account'>): Promise<string> {
  const path = await realpath(home).catch(() => home);
  const inode = await stat(path, { bigint: true }).catch(() => undefined);
  const named = JSON.stringify([path, `${inode?.dev}:${inode?.ino}`, instanceId]);
  return `aizuchi-${createHash('sha256').update(named).digest('hex').slice(0, 12)}-`;
}

/** Starts a process in the same way as the process of a run, and checks whether it has the mark. */
async function isEffective(mark: RunMark, account: MarkOptions['account']): Promise<boolean> {
  const script = `limit=${mark.limit ?? '-'}; read -r _; ${SET_LIMIT}; echo; read -r _`;
  const { file, args, ...ids } = shellAs(account, mark, ['-c', script]);
  try {
    if (mark.cgroup !== undefined) await makeCgroup(mark.cgroup);
  } catch {
    // We cannot use it: it is read-only, or belongs to another account.
    return false;
  }
  const child = spawn(file, args, { cwd: '/', env: {}, stdio: ['pipe', 'pipe', 'ignore'], ...ids });
  const ended = once(child, 'exit').catch(() => undefined);
  child.stdin.on('error', () => undefined);
  try {
    if (child.pid === undefined) return false;
    if (mark.cgroup !== undefined) await enterCgroup(mark.cgroup, child.pid);
    child.stdin.write('\n');
    await Promise.race([once(child.stdout, 'data'), ended]);
    const text = await readFile(`/proc/${child.pid}/${mark.file}`, 'latin1');
    return new RegExp(mark.pattern, 'm').test(text);
  } catch {
    return false;
  } finally {
    child.kill('SIGKILL');
    await ended;
    if (mark.cgroup !== undefined) await releaseCgroup(mark.cgroup);
  }
}

/** Our own hard limit of file locks: normally nobody sets one, but an agent of another Aizuchi has it. */
async function ownLimit(): Promise<number | undefined> {
  const text = await readFile('/proc/self/limits', 'latin1').catch(() => '');
  const found = /^Max file locks +\w+ +(\d+) /m.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}
