import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SET_LIMIT, shellAs } from '../process/run-guard.ts';
import { cgroupPlaces, enterCgroup, killCgroup, listCgroup, makeCgroup, removeCgroup } from './cgroup.ts';
import { startCgroupKeeper } from './cgroup-keeper.ts';
import { cgroupHold, groupHold, type HoldKind, limitHold, type RunHold } from './run-hold.ts';

/** The way in which this Coordinator holds its runs together; chosen once. */
export interface HoldMethod {
  readonly kind: HoldKind;
  /** For a run that is about to start; undefined where there is no mark. No two that are in use are the same. */
  make(runId: string): Promise<RunHold | undefined>;
  /** The mark of a run of an earlier Coordinator, which may still live: `make` does not give it again. */
  keep(hold: RunHold): void;
  /** Of a run of which nothing lives. Idempotent, never rejects; false when its control group could not be removed. */
  release(hold: RunHold): Promise<boolean>;
  /** Ends and removes what earlier Coordinators of this home have left; call it when their runs are reaped. */
  clean(): Promise<void>;
}

export interface HoldOptions {
  /** Groups of another home are another product's. */
  readonly home: string;
  /** Of the home, from `instanceIdOf`: in another mount namespace another home can have the same path. */
  readonly instanceId: string;
  /** Who agents run as, when that is not ourselves. */
  readonly account: { readonly uid: number; readonly gid: number } | undefined;
}

const REMOVE_PATIENCE_MS = 2_000;

/** The best that works here, tried with a process; leaves nothing behind. */
export async function chooseHoldMethod(options: HoldOptions): Promise<HoldMethod> {
  const { account } = options;
  const prefix = await prefixOf(options);
  const places = await cgroupPlaces();
  const ours = prefix + randomBytes(4).toString('hex');
  // In every place: what worked for an earlier Coordinator need not be what works for this one.
  const clean = async () => {
    for (const { folder } of places) await cleanPlace(folder, prefix, join(folder, ours));
  };
  for (const { version, folder } of places) {
    const parent = join(folder, ours);
    const make = (runId: string) => cgroupHold(parent, runId, account !== undefined);
    const works = await holds(make('probe'), account);
    await removeCgroup(parent);
    if (works) return { kind: `cgroup v${version}`, clean, ...inCgroups(parent, make) };
  }
  if (account && (await holds(groupHold(), account))) return { kind: 'group', clean, ...marking(groupHold) };
  const most = await ownLimit();
  const limit = limitHold(most);
  if (limit && (await holds(limit, account)))
    return { kind: 'limit', clean, ...marking(() => limitHold(most)) };
  return { kind: 'none', clean, ...marking(() => undefined) };
}

type Marks = Pick<HoldMethod, 'make' | 'keep' | 'release'>;

/** By numbers, of which one that is in use is not given again. */
export function marking(choose: () => RunHold | undefined): Marks {
  const inUse = new Set<string>();
  return {
    async make() {
      let hold = choose();
      while (hold && inUse.has(hold.pattern)) hold = choose();
      if (hold) inUse.add(hold.pattern);
      return hold;
    },
    keep: ({ pattern }) => void inUse.add(pattern),
    async release(hold) {
      inUse.delete(hold.pattern);
      return hold.cgroup === undefined || releaseCgroup(hold.cgroup);
    },
  };
}

function inCgroups(parent: string, choose: (runId: string) => RunHold): Marks {
  let isKept = false;
  return {
    async make(runId) {
      await makeCgroup(join(parent, runId));
      if (!isKept) startCgroupKeeper(parent);
      isKept = true;
      return choose(runId);
    },
    // A group is named by its run and its Coordinator.
    keep: () => undefined,
    release: async ({ cgroup }) => cgroup === undefined || releaseCgroup(cgroup),
  };
}

async function cleanPlace(folder: string, prefix: string, ours: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  const others = names.filter((name) => name.startsWith(prefix)).map((name) => join(folder, name));
  await Promise.all(others.filter((path) => path !== ours).map(endCgroup));
}

/** Nothing in it is anybody's any more. */
async function endCgroup(folder: string): Promise<void> {
  const deadline = performance.now() + REMOVE_PATIENCE_MS;
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
    // Ended meanwhile, or not ours to end: then the group stays.
  }
}

/** Removes the group once the kernel has let go of its dead. Never rejects; false when something lives in it. */
async function releaseCgroup(folder: string): Promise<boolean> {
  const deadline = performance.now() + REMOVE_PATIENCE_MS;
  while (!(await removeCgroup(folder))) {
    if (performance.now() > deadline) return false;
    await delay(50);
  }
  return true;
}

/**
 * The same for every Coordinator of a home, and for no other home, a copy of this one included. The path alone does not
 * say it: in two containers that see the same control groups, two homes have the same.
 */
export async function prefixOf({ home, instanceId }: Omit<HoldOptions, 'account'>): Promise<string> {
  const path = await realpath(home).catch(() => home);
  const inode = await stat(path, { bigint: true }).catch(() => undefined);
  const named = JSON.stringify([path, `${inode?.dev}:${inode?.ino}`, instanceId]);
  return `aizuchi-${createHash('sha256').update(named).digest('hex').slice(0, 12)}-`;
}

/** Starts a process as a run's is started, and looks whether it bears the mark. */
async function holds(hold: RunHold, account: HoldOptions['account']): Promise<boolean> {
  const script = `limit=${hold.limit ?? '-'}; read -r _; ${SET_LIMIT}; echo; read -r _`;
  const { file, args, ...ids } = shellAs(account, hold, ['-c', script]);
  try {
    if (hold.cgroup !== undefined) await makeCgroup(hold.cgroup);
  } catch {
    // Not for us: read-only, or another account's.
    return false;
  }
  const child = spawn(file, args, { cwd: '/', env: {}, stdio: ['pipe', 'pipe', 'ignore'], ...ids });
  const ended = once(child, 'exit').catch(() => undefined);
  child.stdin.on('error', () => undefined);
  try {
    if (child.pid === undefined) return false;
    if (hold.cgroup !== undefined) await enterCgroup(hold.cgroup, child.pid);
    child.stdin.write('\n');
    await Promise.race([once(child.stdout, 'data'), ended]);
    const text = await readFile(`/proc/${child.pid}/${hold.file}`, 'latin1');
    return new RegExp(hold.pattern, 'm').test(text);
  } catch {
    return false;
  } finally {
    child.kill('SIGKILL');
    await ended;
    if (hold.cgroup !== undefined) await releaseCgroup(hold.cgroup);
  }
}

/** Our own hard limit of file locks: nobody sets one, but an agent of another Aizuchi has it. */
async function ownLimit(): Promise<number | undefined> {
  const text = await readFile('/proc/self/limits', 'latin1').catch(() => '');
  const found = /^Max file locks +\w+ +(\d+) /m.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}
