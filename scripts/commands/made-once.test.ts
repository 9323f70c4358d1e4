import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { madeOnce } from './made-once.ts';

let cache: string;
beforeEach(async () => {
  cache = await mkdtemp(join(tmpdir(), 'aizuchi-made-once-'));
});
afterEach(() => rm(cache, { recursive: true, force: true }));

const of = (key: string) => ({ prefix: 'database-', key });
const write = (text: string) => (folder: string) => writeFile(join(folder, 'content'), text);

test('is made once, and by one of several at the same time', async () => {
  const both = Promise.withResolvers<void>();
  let making = 0;
  const make = async (folder: string) => {
    making += 1;
    if (making === 2) both.resolve();
    await both.promise;
    await write('made')(folder);
  };
  const folders = await Promise.all([madeOnce(cache, of('a'), make), madeOnce(cache, of('a'), make)]);
  expect(folders).toEqual([join(cache, 'database-a'), join(cache, 'database-a')]);
  expect(await readFile(join(cache, 'database-a', 'content'), 'utf8')).toBe('made');
  await madeOnce(cache, of('a'), () => Promise.reject(new Error('made again')));
  expect(await readdir(cache)).toEqual(['database-a']);
});

test('leaves what others use or make, and removes what nobody has used for a day', async () => {
  const old = new Date(Date.now() - 25 * 3_600_000);
  for (const name of ['database-used', 'database-partial-x', 'database-old', 'database-partial-y', 'else'])
    await mkdir(join(cache, name));
  for (const name of ['database-old', 'database-partial-y', 'else'])
    await utimes(join(cache, name), old, old);
  await madeOnce(cache, of('a'), write('made'));
  expect((await readdir(cache)).toSorted()).toEqual([
    'database-a',
    'database-partial-x',
    'database-used',
    'else',
  ]);
});

test('nothing is left of one that could not be made', async () => {
  await expect(madeOnce(cache, of('a'), () => Promise.reject(new Error('no room')))).rejects.toThrow(
    'no room',
  );
  expect(await readdir(cache)).toEqual([]);
});
