import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { killCgroup, listCgroup, removeCgroup } from './cgroup.ts';
import { marking, prefixOf } from './mark-method.ts';
import { limitMark, type RunMark } from './run-mark.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aizuchi-mark-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('groups are named after a home, not after its path', async () => {
  const home = join(folder, 'home');
  await mkdir(home);
  const first = await prefixOf({ home, instanceId: 'one' });
  expect(await prefixOf({ home, instanceId: 'one' })).toBe(first);
  expect(await prefixOf({ home, instanceId: 'two' })).not.toBe(first);
  await rename(home, join(folder, 'away'));
  await mkdir(home);
  expect(await prefixOf({ home, instanceId: 'one' })).not.toBe(first);
});

test('a group that the kernel does not remove is reported, whatever the error', async () => {
  // EISDIR stands for EROFS, EBUSY, EINVAL and the like.
  for (const name of ['cgroup.kill', 'pids.max', 'cgroup.freeze', 'cgroup.procs'])
    await mkdir(join(folder, name));
  expect(await killCgroup(folder)).toBe(false);
  expect(await listCgroup(folder)).toBeUndefined();
  // The same for ENOTDIR.
  expect(await removeCgroup('/dev/null')).toBe(false);
  expect(await removeCgroup(join(folder, 'none'))).toBe(true);
});

test('when our own limit is too small there are no marks', () => {
  for (const most of [0, 1, 2, 1_000, 2 ** 20]) expect(limitMark(most)).toBeUndefined();
  expect(limitMark(2 ** 21)?.limit).toBeLessThan(2 ** 21);
  expect(limitMark()?.limit).toBeGreaterThanOrEqual(2 ** 40);
});

test('a mark is not used again while a run has it', async () => {
  const given = ['a', 'a', 'b', 'b', 'c', 'a'].map(
    (pattern): RunMark => ({ file: 'limits', pattern, isCertain: false }),
  );
  const marks = marking(() => given.shift());
  const first = await marks.make('run_1');
  expect(first?.pattern).toBe('a');
  marks.keep({ file: 'limits', pattern: 'b', isCertain: false });
  expect((await marks.make('run_2'))?.pattern).toBe('c');
  if (first) await marks.release(first);
  expect((await marks.make('run_3'))?.pattern).toBe('a');
});
