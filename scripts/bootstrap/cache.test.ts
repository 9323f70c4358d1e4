import { mkdir, mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, test } from 'vitest';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aizuchi-cache-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A compiled file of that many bytes, sparse. */
async function compiled(version: string, name: string, bytes: number): Promise<void> {
  await mkdir(join(folder, version), { recursive: true });
  await writeFile(join(folder, version, name), '');
  await truncate(join(folder, version, name), bytes);
}

/** The bootstrap is plain JavaScript for the host's Node: it is run as such. */
async function prune(): Promise<void> {
  const module = new URL('cache.mjs', import.meta.url).href;
  const script =
    'const [module, folder] = process.argv.slice(1); (await import(module)).pruneCompileCache(folder, "v24.1.0");';
  await execa(process.execPath, ['--input-type=module', '--eval', script, module, folder]);
}

test('what other versions of Node have compiled goes, what this one has compiled stays', async () => {
  await compiled('v24.1.0-x64-1-0', 'a', 1_000);
  await compiled('v24.1.0-x64-1-1000', 'of-another-account', 1_000);
  await compiled('v24.0.0-x64-1-0', 'old', 1_000);
  await compiled('v24.1.01-x64-1-0', 'similar', 1_000);
  await prune();
  expect((await readdir(folder)).toSorted()).toEqual(['v24.1.0-x64-1-0', 'v24.1.0-x64-1-1000']);
});

test('more than 64 MiB go as a whole', async () => {
  await compiled('v24.1.0-x64-1-0', 'a', 40 * 1024 * 1024);
  await prune();
  expect(await readdir(folder)).toHaveLength(1);
  await compiled('v24.1.0-x64-1-0', 'b', 30 * 1024 * 1024);
  await prune();
  await expect(readdir(folder)).rejects.toThrow('ENOENT');
  // There is nothing to do where nothing is.
  await prune();
});
