import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { cgroupPlaces, enterCgroup, killCgroup, makeCgroup, removeCgroup } from './cgroup.ts';
import { startCgroupKeeper } from './cgroup-keeper.ts';
import { SET_LIMIT, shellAs } from './run-guard.ts';
import { cgroupHold, groupHold, type HoldKind, limitHold, type RunHold } from './run-hold.ts';

/** The way in which this Coordinator holds its runs together; chosen once. */
export interface HoldMethod {
  readonly kind: HoldKind;
  /** For a run that is about to start; undefined where there is no mark. */
  make(runId: string): Promise<RunHold | undefined>;
  /** Ends and removes what earlier Coordinators of this home have left; call it when their runs are reaped. */
  clean(): Promise<void>;
}

export interface HoldOptions {
  /** Groups of another home are another product's. */
  readonly home: string;
  /** Who agents run as, when that is not ourselves. */
  readonly account: { readonly uid: number; readonly gid: number } | undefined;
}

const REMOVE_PATIENCE_MS = 2_000;

/** The best that works here, tried with a process; leaves nothing behind. */
export async function chooseHoldMethod(options: HoldOptions): Promise<HoldMethod> {
  const { account } = options;
  const prefix = await prefixOf(options.home);
  for (const { version, folder } of await cgroupPlaces()) {
    const parent = join(folder, prefix + randomBytes(4).toString('hex'));
    const make = (runId: string) => cgroupHold(parent, runId, account !== undefined);
    const works = await holds(make('probe'), account);
    await removeCgroup(parent).catch(() => false);
    if (works) return { kind: `cgroup v${version}`, ...inCgroups({ folder, prefix, parent, make }) };
  }
  if (account && (await holds(groupHold(), account))) return { kind: 'group', ...marking(groupHold) };
  const most = await ownLimit();
  if (await holds(limitHold(most), account)) return { kind: 'limit', ...marking(() => limitHold(most)) };
  return { kind: 'none', ...marking(() => undefined) };
}

function marking(make: () => RunHold | undefined): Omit<HoldMethod, 'kind'> {
  return { make: async () => make(), clean: async () => undefined };
}

function inCgroups(groups: {
  readonly folder: string;
  readonly prefix: string;
  readonly parent: string;
  readonly make: (runId: string) => RunHold;
}): Omit<HoldMethod, 'kind'> {
  let isKept = false;
  return {
    async make(runId) {
      const hold = groups.make(runId);
      await makeCgroup(join(groups.parent, runId));
      if (!isKept) startCgroupKeeper(groups.parent);
      isKept = true;
      return hold;
    },
    async clean() {
      const names = await readdir(groups.folder);
      const others = names.map((name) => join(groups.folder, name)).filter((path) => path !== groups.parent);
      await Promise.all(
        others.filter((path) => path.startsWith(join(groups.folder, groups.prefix))).map(endCgroup),
      );
    },
  };
}

/** Nothing in it is anybody's any more. */
async function endCgroup(folder: string): Promise<void> {
  await killCgroup(folder);
  await releaseCgroup(folder);
}

/** Removes the group once the kernel has let go of its dead. False when something lives in it. */
export async function releaseCgroup(folder: string): Promise<boolean> {
  const deadline = performance.now() + REMOVE_PATIENCE_MS;
  while (!(await removeCgroup(folder))) {
    if (performance.now() > deadline) return false;
    await delay(50);
  }
  return true;
}

/** The same for every Coordinator of a home, and for no other home, a copy of this one included. */
async function prefixOf(home: string): Promise<string> {
  const path = await realpath(home).catch(() => home);
  return `aizuchi-${createHash('sha256').update(path).digest('hex').slice(0, 12)}-`;
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
