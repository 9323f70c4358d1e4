import { randomInt } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { MarkKind } from '../src/run-mark/run-mark.ts';
import { bundleCoordinator, CoordinatorHost, newRunId, until, untilGone } from './coordinator-host.ts';
import { commandsWith, moveIn, processesWith, removeWorlds, type World, worldsOfThisHost } from './worlds.ts';

/*
 * Row 6 of the probe: a process that detaches itself and cleans its environment does not live longer than its
 * run.
 */

const worlds = await worldsOfThisHost();
const USUAL = new Set(['as it is', 'an ordinary user']);
/** The first search is never long enough in one process to be waited for. */
const ATTACKS = ['fork-chain', 'setsid', 'double-fork', 'fork-loop'];

let folder: string;
let main: string;
let host: CoordinatorHost;
let tag: string;
let run: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aizuchi-coordinator-'));
  await chmod(folder, 0o755);
  main = await bundleCoordinator(folder);
});
afterAll(async () => {
  await removeWorlds();
  await rm(folder, { recursive: true, force: true });
});

beforeEach(async ({ onTestFailed }) => {
  host = await CoordinatorHost.create(main);
  onTestFailed(() => void process.stderr.write(host.stderr));
  run = newRunId();
  tag = `3600.${randomInt(10 ** 8, 10 ** 9)}`;
});
afterEach(async () => {
  await host.close();
  // Used only by a failing test.
  for (const pid of await processesWith(tag)) process.kill(pid, 'SIGKILL');
});

async function markedBy(): Promise<MarkKind> {
  const line = await until(() => /"markedBy":"([^"]+)"/.exec(host.stderr) ?? undefined);
  return line[1] as MarkKind;
}

/** The attacks of these numbers have begun. */
async function untilAttacked(indexes = [1, 2, 3]): Promise<void> {
  for (const index of indexes)
    await until(async () => ((await processesWith(`${tag}${index}`)).length > 0 ? true : undefined));
}

async function untilNoneIsLeft(): Promise<void> {
  await until(async () => ((await processesWith(tag)).length === 0 ? true : undefined));
}

describe.each(worlds)('in the world "$name"', (world) => {
  beforeEach(() => moveIn(host, world));

  test('a detached process does not live longer than a Coordinator that is killed', () =>
    endCoordinator(world, 'SIGKILL'));

  test('a process that removes its marks lives longer than its run only where that is documented', async () => {
    await host.start({}, world.prefix);
    host.give(run, 'escapes.mjs', ['takes-off-marks', tag, 'stay']);
    await until(async () => ((await commandsWith(tag)).includes('sleep') ? true : undefined));
    host.tellToStop(run);
    await host.exited(run);
    const left = (await processesWith(tag)).length > 0;
    expect(left).toBe(!world.isRoot && /cgroup|limit/.test(await markedBy()));
  });

  test('its method of holding runs is the one that the kernel shows', async () => {
    await host.start({}, world.prefix);
    host.give(run, 'never-authenticates.mjs');
    const pid = await host.pidOf(run);
    await host.says(run, /alive/);
    const show = (file: string) => readFile(`/proc/${pid}/${file}`, 'utf8');
    const shown: Record<MarkKind, [string, RegExp]> = {
      'cgroup v2': [await show('cgroup'), new RegExp(`^0::.*/aizuchi-[^/]+/${run}$`, 'm')],
      'cgroup v1': [await show('cgroup'), new RegExp(`:pids:.*/aizuchi-[^/]+/${run}$`, 'm')],
      group: [await show('status'), /^Groups:\s+2[01]\d{8}\s*$/m],
      limit: [await show('limits'), /^Max file locks +(\d+) +\1 /m],
      none: ['', /^$/],
    };
    const kind = await markedBy();
    const [text, pattern] = shown[kind];
    expect(text).toMatch(pattern);
    for (const other of Object.keys(shown).filter((one) => one !== kind && one !== 'none') as MarkKind[])
      expect(shown[other][0]).not.toMatch(shown[other][1]);
  });
});

async function endCoordinator({ prefix }: World, signal: NodeJS.Signals): Promise<void> {
  const { child } = await host.start({}, prefix);
  host.give(run, 'escapes.mjs', [ATTACKS.join(), tag, 'stay']);
  await untilAttacked();
  child.kill(signal);
  await untilGone(child.pid ?? 0);
  await untilNoneIsLeft();
}

// The usual worlds: the following tests would take the same paths in the others.
describe.each(worlds.filter(({ name }) => USUAL.has(name)))('also in the world "$name"', (world) => {
  beforeEach(() => moveIn(host, world));

  test('trap 32: a detached process does not live longer than a run that is stopped', async () => {
    await host.start({}, world.prefix);
    host.give(run, 'escapes.mjs', [ATTACKS.join(), tag, 'stay']);
    await untilAttacked();
    host.tellToStop(run);
    await host.exited(run);
    await untilNoneIsLeft();
  });

  test('a detached process does not live longer than an agent that ends by itself', async () => {
    await host.start({}, world.prefix);
    host.give(run, 'escapes.mjs', [ATTACKS.join(), tag, 'end']);
    await host.exited(run);
    await untilNoneIsLeft();
  });

  test('a detached process does not live longer than a Coordinator that is told to stop', () =>
    endCoordinator(world, 'SIGTERM'));

  test('an agent that kills its watcher first is ended by the keeper, else by the next Coordinator', async () => {
    const { child } = await host.start({}, world.prefix);
    host.give(run, 'escapes.mjs', ['setsid', tag, 'kill-watcher']);
    await untilAttacked([0]);
    await host.says(run, /watcher killed/);
    child.kill('SIGKILL');
    await untilGone(child.pid ?? 0);
    if (!(await markedBy()).startsWith('cgroup')) {
      expect(await processesWith(tag)).toHaveLength(1);
      // The next Coordinator finds it by the mark in its journal.
      await host.start({}, world.prefix);
    }
    await untilNoneIsLeft();
  });
});

test('on a host where root may make control groups they are used', async () => {
  await host.start();
  const kind = await markedBy();
  const v2 = (await readFile('/proc/mounts', 'utf8')).match(/^\S+ \S+ cgroup2 rw/m);
  if (process.getuid?.() === 0 && v2) expect(kind).toBe('cgroup v2');
  else expect(['cgroup v1', 'cgroup v2', 'group', 'limit']).toContain(kind);
});

test('a run that cannot be started leaves no control group behind', async () => {
  await host.start();
  await markedBy();
  const logs = join(host.home, 'logs', 'runs');
  await rm(logs, { recursive: true, force: true });
  await writeFile(logs, 'no folder');
  host.give(run, 'never-authenticates.mjs');
  await host.exited(run);
  const groups = async () => {
    const names = await readdir('/sys/fs/cgroup', { recursive: true }).catch(() => []);
    return names.filter((name) => name.endsWith(`/${run}`));
  };
  await until(async () => ((await groups()).length === 0 ? true : undefined));
});
