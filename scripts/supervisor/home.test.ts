import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exitCodes } from '@aizuchi/shared/platform/process-lifecycle';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { prepareHome } from './home.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aizuchi-home-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('a home is created with all missing parents, readable by its owner only', async () => {
  const path = join(folder, 'a', 'b', 'home');
  const home = await prepareHome(path, undefined);
  expect((await readdir(path)).toSorted()).toEqual(['data', 'logs', 'run', 'secrets']);
  expect((await stat(home.secrets)).mode & 0o777).toBe(0o700);
  expect((await stat(home.bin)).mode & 0o777).toBe(0o755);
});

test.each([
  ['where the system allows no new folder', () => '/proc/nope/home', /cannot be used \(\w+\)/],
  ['where a file has the name of a folder', () => join(folder, 'file', 'home'), /cannot be used \(ENOTDIR\)/],
])('%s it is refused with 4 and one sentence', async (_where, path, sentence) => {
  await writeFile(join(folder, 'file'), '');
  await expect(prepareHome(path(), undefined)).rejects.toMatchObject({
    exitCode: exitCodes.home,
    message: expect.stringMatching(sentence),
  });
});
