import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { RunMark } from '../run-mark/run-mark.ts';
import { endProcesses } from './end-processes.ts';
import { readStat } from './proc-table.ts';

const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

async function startGroup(command: string): Promise<{ pid: number; ended: Promise<unknown[]> }> {
  const child = spawn('/bin/sh', ['-c', command], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  children.push(child);
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  return { pid: child.pid ?? 0, ended };
}

test('a process in the place of the watcher gets no SIGTERM, and dies', async () => {
  const { pid, ended } = await startGroup('echo; exec sleep 3600');
  const stat = await readStat(pid);
  const run = { traceId: `run_of_${pid}`, group: pid };
  expect(await endProcesses(run, { graceMs: 5_000, watcher: () => stat })).toEqual([]);
  expect(await ended).toEqual([null, 'SIGKILL']);
});

test('a process that got the pid of the watcher gets SIGTERM and the grace', async () => {
  const { pid, ended } = await startGroup("trap 'exit 7' TERM; echo; while :; do sleep 0.1; done");
  const run = { traceId: `run_of_${pid}`, group: pid };
  const watcher = { pid, startTicks: ((await readStat(pid))?.startTicks ?? 0) - 1 };
  // Longer than the test may take: only the end of the process ends the grace.
  expect(await endProcesses(run, { graceMs: 60_000, watcher: () => watcher })).toEqual([]);
  expect(await ended).toEqual([7, null]);
});

test('runs that end at the same time each end their own processes', async () => {
  const groups = await Promise.all([1, 2, 3, 4].map(() => startGroup("trap '' TERM; echo; exec sleep 3600")));
  const [spared, ...meant] = groups;
  const left = await Promise.all(
    meant.map(({ pid }) => endProcesses({ traceId: `run_of_${pid}`, group: pid }, { graceMs: 100 })),
  );
  expect(left.flat()).toEqual([]);
  for (const { ended } of meant) expect(await ended).toEqual([null, 'SIGKILL']);
  expect((await readStat(spared?.pid ?? 0))?.isZombie).toBe(false);
  await endProcesses({ traceId: 'run_spared', group: spared?.pid }, { graceMs: 0 });
});

test('a run ends also when its control group cannot be written or read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'aizuchi-end-'));
  // Opening them fails with EISDIR, which stands for EROFS and the like.
  for (const name of ['cgroup.kill', 'cgroup.procs']) await mkdir(join(folder, name));
  const { pid, ended } = await startGroup("trap '' TERM; echo; exec sleep 3600");
  const mark: RunMark = { file: 'status', pattern: `^NSpgid:\\t${pid}$`, cgroup: folder, isCertain: true };
  expect(await endProcesses({ traceId: 'run_x', mark }, { graceMs: 0 })).toEqual([]);
  expect(await ended).toEqual([null, 'SIGKILL']);
  await rm(folder, { recursive: true });
});
