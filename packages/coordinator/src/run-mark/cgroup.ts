import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Our own control group in a hierarchy that could hold the runs. */
export interface CgroupPlace {
  readonly version: 1 | 2;
  readonly folder: string;
}

/**
 * The places for our groups: below the group that we are in ourselves, so that what ends that group (a
 * service manager, the end of a container) ends the runs too. Version 2 comes first; of version 1 the
 * hierarchy of `pids`, which can forbid forks. Does not check whether they can be used.
 */
export async function cgroupPlaces(): Promise<CgroupPlace[]> {
  const [mounts, groups] = await Promise.all([
    readLines('/proc/self/mountinfo'),
    readLines('/proc/self/cgroup'),
  ]);
  return placesIn(mounts, groups);
}

export function placesIn(mounts: readonly string[], groups: readonly string[]): CgroupPlace[] {
  return ([2, 1] as const).flatMap((version) => {
    const mount = mounts.map(parseMount).find((one) => isHierarchy(one, version));
    const own = groups
      .map(parseGroup)
      .find(({ controllers }) => (version === 2 ? controllers.length === 0 : controllers.includes('pids')));
    if (!mount || !own || !`${own.path}/`.startsWith(mount.root === '/' ? '/' : `${mount.root}/`)) return [];
    const below = mount.root === '/' ? own.path : own.path.slice(mount.root.length);
    return [{ version, folder: join(mount.folder, below) }];
  });
}

interface Mount {
  readonly root: string;
  readonly folder: string;
  readonly type: string;
  readonly options: readonly string[];
}

/** A line of mountinfo: id, parent, device, root, folder, options, optional fields, `-`, type, source, options. */
function parseMount(line: string): Mount {
  const [before = '', after = ''] = line.split(' - ');
  const [, , , root = '', folder = ''] = before.split(' ');
  const [type = '', , options = ''] = after.split(' ');
  return { root, folder: folder.replaceAll('\\040', ' '), type, options: options.split(',') };
}

function isHierarchy({ type, options }: Mount, version: 1 | 2): boolean {
  return version === 2 ? type === 'cgroup2' : type === 'cgroup' && options.includes('pids');
}

/** A line of /proc/PID/cgroup: `8:pids:/path`, or `0::/path` for version 2. */
function parseGroup(line: string): { controllers: string[]; path: string } {
  const [, controllers = '', ...path] = line.split(':');
  return { controllers: controllers.split(',').filter(Boolean), path: path.join(':') };
}

export async function makeCgroup(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
}

/** Moves the process; its later children are created in this group. */
export async function enterCgroup(folder: string, pid: number): Promise<void> {
  await writeFile(join(folder, 'cgroup.procs'), String(pid));
}

/**
 * Kills all processes of the group at once where the kernel can (version 2 since 5.14). Elsewhere forks are
 * forbidden first, so that killing each process ends them all. Never rejects; false when neither was
 * possible.
 */
export async function killCgroup(folder: string): Promise<boolean> {
  for (const [name, value] of KILLING) if (await tell(folder, name, value)) return true;
  return false;
}

const KILLING = [
  ['cgroup.kill', '1'],
  ['pids.max', '0'],
  ['cgroup.freeze', '1'],
] as const;

/** False when this group has no such file, does not exist any more or cannot be written. */
async function tell(folder: string, name: string, value: string): Promise<boolean> {
  try {
    // Without O_CREAT: writes only files that the kernel has created.
    await writeFile(join(folder, name), value, { flag: 'r+' });
    return true;
  } catch {
    return false;
  }
}

/**
 * The processes in the group and in the groups below. Undefined when the group does not exist any more or
 * cannot be read; never rejects.
 */
export async function listCgroup(folder: string): Promise<number[] | undefined> {
  try {
    const text = await readFile(join(folder, 'cgroup.procs'), 'latin1');
    const folders = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory());
    const below = await Promise.all(folders.map(({ name }) => listCgroup(join(folder, name))));
    // The kernel writes 0 for a process of another PID namespace.
    const own = text.split('\n').map(Number).filter(Boolean);
    return [...new Set([...own, ...below.flatMap((pids) => pids ?? [])])].sort((a, b) => a - b);
  } catch {
    return undefined;
  }
}

/**
 * Removes the group with all groups below it; false while a process lives in one of them, or when it cannot
 * be removed.
 */
export async function removeCgroup(folder: string): Promise<boolean> {
  try {
    for (const entry of await readdir(folder, { withFileTypes: true }))
      if (entry.isDirectory() && !(await removeCgroup(join(folder, entry.name)))) return false;
    await rmdir(folder);
    return true;
  } catch (error) {
    return hasCode(error, 'ENOENT', 'ENODEV');
  }
}

function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

async function readLines(file: string): Promise<string[]> {
  return (await readFile(file, 'utf8').catch(() => '')).split('\n').filter(Boolean);
}
