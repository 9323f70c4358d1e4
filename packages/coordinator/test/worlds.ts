import { execFile } from 'node:child_process';
import { chmod, chown, readdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { type CoordinatorHost, until } from './coordinator-host.ts';

/** Environments of a Coordinator. An environment that this host cannot make is not in the list. */
export interface World {
  readonly name: string;
  /** What is written before the command. */
  readonly prefix: readonly string[];
  readonly isRoot: boolean;
}

/** An account that nobody has: no other process runs as it. */
const ORDINARY = 54_321;
const asOrdinary = ['setpriv', `--reuid=${ORDINARY}`, `--regid=${ORDINARY}`, '--clear-groups'];
const run = promisify(execFile);

const READ_ONLY_CGROUPS = `for place in $(sed -n 's/^[^ ]* \\([^ ]*\\) cgroup2\\{0,1\\} .*/\\1/p' /proc/mounts); do
  mount -o remount,bind,ro "$place" || exit 1; done`;
/** The capabilities of the Coordinator in docker-compose.yml. */
const CAPABILITIES = ['chown', 'dac_override', 'fowner', 'kill', 'setgid', 'setuid', 'sys_ptrace'];
const withCapabilities = [
  'setpriv',
  '--no-new-privs',
  `--bounding-set=-all${CAPABILITIES.map((name) => `,+${name}`).join('')}`,
];

/** As systemd does for the session of a user. */
const DELEGATED = `aizuchi-test-${process.pid}`;
const PLACE = "$(sed -n 's/^[^ ]* \\([^ ]*\\) cgroup2 rw.*/\\1/p' /proc/mounts)";
const DELEGATE = `place=${PLACE} && [ -n "$place" ] && group=$place/$0 && mkdir -p "$group" &&
  chown ${ORDINARY} "$group" "$group/cgroup.procs" "$group/cgroup.subtree_control" &&
  echo $$ >"$group/cgroup.procs" && exec "$@"`;

/** Removes them after their last process has ended. */
export async function removeWorlds(): Promise<void> {
  const remove = `place=${PLACE}; [ ! -d "$place/$0" ] || find "$place/$0" -depth -type d -exec rmdir {} +`;
  await until(() =>
    run('sh', ['-c', remove, DELEGATED]).then(
      () => true,
      () => undefined,
    ),
  );
}

export async function worldsOfThisHost(): Promise<World[]> {
  const isRoot = process.getuid?.() === 0;
  const asItIs: World = { name: 'as it is', prefix: [], isRoot };
  if (!isRoot) return [asItIs];
  const others: World[] = [
    { name: 'without cgroup v2', prefix: inMounts('umount -l -a -t cgroup2'), isRoot },
    { name: 'as in compose', prefix: [...inMounts(READ_ONLY_CGROUPS), ...withCapabilities], isRoot },
    { name: 'an ordinary user', prefix: [...asOrdinary, 'env', 'HOME=/tmp'], isRoot: false },
    {
      name: 'an ordinary user with a delegated group',
      prefix: ['sh', '-c', DELEGATE, DELEGATED, ...asOrdinary, 'env', 'HOME=/tmp'],
      isRoot: false,
    },
  ];
  const made = await Promise.all(others.map(async (world) => ((await canMake(world)) ? [world] : [])));
  return [asItIs, ...made.flat()];
}

/** With mounts of its own, changed before the command. */
function inMounts(change: string): string[] {
  return ['unshare', '-m', 'sh', '-c', `${change} && exec "$@"`, 'sh'];
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

/** Living processes with an argument that begins with this text. */
export async function processesWith(beginning: string): Promise<number[]> {
  return (await argumentsWith(beginning)).map(({ pid }) => pid);
}

/** The names of the programs of such processes. */
export async function commandsWith(beginning: string): Promise<string[]> {
  return (await argumentsWith(beginning)).map(({ command }) => command);
}

async function argumentsWith(beginning: string): Promise<{ pid: number; command: string }[]> {
  const found: { pid: number; command: string }[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const [command = '', ...args] = (await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')).split(
      '\0',
    );
    // Without the agent that receives it as an argument.
    if (args.some((one) => one.startsWith(beginning)) && !args.some((one) => one.endsWith('.mjs')))
      found.push({ pid: Number(name), command });
  }
  return found;
}
