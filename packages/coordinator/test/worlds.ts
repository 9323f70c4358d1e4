import { execFile } from 'node:child_process';
import { chmod, chown, readdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { CoordinatorHost } from './coordinator-host.ts';

/** What a Coordinator may find around it. Where a host cannot make one of these, it is not in the list. */
export interface World {
  readonly name: string;
  /** What is written before the command. */
  readonly prefix: readonly string[];
  readonly isRoot: boolean;
}

/** An account that nobody has: nothing else runs as it. */
const ORDINARY = 54_321;
const asOrdinary = ['setpriv', `--reuid=${ORDINARY}`, `--regid=${ORDINARY}`, '--clear-groups'];
const run = promisify(execFile);

export async function worldsOfThisHost(): Promise<World[]> {
  const isRoot = process.getuid?.() === 0;
  const asItIs: World = { name: 'as it is', prefix: [], isRoot };
  if (!isRoot) return [asItIs];
  const without = (types: string): readonly string[] => [
    'unshare',
    '-m',
    'sh',
    '-c',
    `umount -l -a -t ${types} && exec "$@"`,
    'sh',
  ];
  const others: World[] = [
    { name: 'without cgroup v2', prefix: without('cgroup2'), isRoot },
    { name: 'without cgroups', prefix: without('cgroup2,cgroup'), isRoot },
    {
      name: 'an ordinary user',
      prefix: [...asOrdinary, 'env', 'HOME=/tmp'],
      isRoot: false,
    },
  ];
  const made = await Promise.all(others.map(async (world) => ((await canMake(world)) ? [world] : [])));
  return [asItIs, ...made.flat()];
}

async function canMake({ prefix: [file = '', ...args] }: World): Promise<boolean> {
  return run(file, [...args, process.execPath, '--version']).then(
    () => true,
    () => false,
  );
}

/** Gives an ordinary user its home. */
export async function moveIn(host: CoordinatorHost, { isRoot }: World): Promise<void> {
  if (isRoot || process.getuid?.() !== 0) return;
  for (const path of [dirname(host.home), host.home, host.workingDirectory])
    await chown(path, ORDINARY, ORDINARY);
  await chmod(host.workingDirectory, 0o755);
}

/** Living processes with an argument that begins so. */
export async function processesWith(beginning: string): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const args = (await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')).split('\0');
    // Not our own, nor the agent that is told it.
    if (args.some((one) => one.startsWith(beginning)) && !args.some((one) => one.endsWith('.mjs')))
      found.push(Number(name));
  }
  return found;
}
