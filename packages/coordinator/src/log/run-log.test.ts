import { mkdtemp, readdir, readFile, readlink, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { pruneRunLogs, RunLog } from './run-log.ts';
import { StderrTail } from './stderr-tail.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aizuchi-log-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

test('a log keeps its newest lines whole and never exceeds its limit', async () => {
  const path = join(folder, 'runs', 'run_1.log');
  const log = await RunLog.open(path, 1_000);
  for (let line = 0; line < 500; line += 1) {
    await log.write(Buffer.from(`line ${line}\n`));
    expect((await stat(path)).size).toBeLessThanOrEqual(1_000);
  }
  await log.close();
  const [note, ...lines] = (await readFile(path, 'utf8')).trimEnd().split('\n');
  expect(note).toContain('dropped');
  const first = Number(lines[0]?.slice('line '.length));
  expect(lines).toEqual(Array.from({ length: 500 - first }, (_, index) => `line ${first + index}`));
});

test('a short log is kept as it was written, from two writers in the order of their calls', async () => {
  const path = join(folder, 'run_1.log');
  const log = await RunLog.open(path);
  await Promise.all([log.write(Buffer.from('a\n')), log.write(Buffer.from('b\n'))]);
  await log.close();
  expect(await readFile(path, 'utf8')).toBe('a\nb\n');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test('of stderr the last lines are kept, however long it was', () => {
  const tail = new StderrTail();
  for (let line = 0; line < 5_000; line += 1) tail.push(Buffer.from(`行 ${line}\n`));
  const lines = tail.toString().split('\n');
  expect(lines).toHaveLength(20);
  expect(lines.at(-1)).toBe('行 4999');
  tail.push(Buffer.alloc(100_000, 'x'));
  expect(tail.toString()).toHaveLength(8 * 1024);
});

test('a log that is gone when it is looked at keeps no other from being removed', async () => {
  await writeFile(join(folder, 'run_1.log'), 'x');
  await symlink(join(folder, 'gone'), join(folder, 'run_2.log'));
  expect(await pruneRunLogs(folder, 0)).toBe(1);
});

test('of many logs the newest are kept', async () => {
  for (const [index, name] of ['a', 'b', 'c', 'd'].entries()) {
    await writeFile(join(folder, name), '');
    await utimes(join(folder, name), 1_000 + index, 1_000 + index);
  }
  expect(await pruneRunLogs(folder, 2)).toBe(2);
  expect(await readdir(folder)).toEqual(['c', 'd']);
});

test.runIf(process.platform === 'linux')('a log on a full disk keeps no file open', async () => {
  const path = join(folder, 'full.log');
  await symlink('/dev/full', path);
  const log = await RunLog.open(path);
  await expect(log.write(Buffer.from('line\n'))).rejects.toThrow('ENOSPC');
  await expect(log.close()).rejects.toThrow('ENOSPC');
  const open = await Promise.all(
    (await readdir('/proc/self/fd')).map((name) => readlink(join('/proc/self/fd', name)).catch(() => '')),
  );
  expect(open).not.toContain('/dev/full');
});
