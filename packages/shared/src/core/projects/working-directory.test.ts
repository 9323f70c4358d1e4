import { mkdir, mkdtemp, readdir, realpath, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  discardDirectory,
  prepareDefaultDirectory,
  prepareWorkingDirectory,
  type WorkingDirectoryRules,
} from './working-directory.ts';

let base: string;
let root: string;
let rules: WorkingDirectoryRules;

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'aizuchi-folders-')));
  root = join(base, 'root');
  await mkdir(join(root, 'home'), { recursive: true });
  await mkdir(join(base, 'outside'));
  await mkdir(join(base, 'rootless'));
  rules = { workspaceRoots: [root], home: join(root, 'home') };
});

afterEach(() => rm(base, { recursive: true, force: true }));

const refusal = (reason: RegExp) => ({
  code: 'working_directory_not_allowed',
  message: expect.stringMatching(reason),
});

describe('allowed', () => {
  test('an existing folder inside the roots is used as it is', async () => {
    await mkdir(join(root, 'work'));
    expect(await prepareWorkingDirectory(join(root, 'work'), rules)).toEqual({
      path: join(root, 'work'),
      made: false,
    });
  });

  test('a missing folder is made when its parent exists', async () => {
    expect(await prepareWorkingDirectory(join(root, 'new'), rules)).toEqual({
      path: join(root, 'new'),
      made: true,
    });
    expect((await stat(join(root, 'new'))).isDirectory()).toBe(true);
  });

  test('~ is the home of the account; the refusal names its reason and the places that are allowed', async () => {
    await expect(prepareWorkingDirectory('~/nowhere-at-all/x', rules)).rejects.toMatchObject({
      details: { reason: 'parent_missing' },
    });
    await expect(prepareWorkingDirectory(join(base, 'outside'), rules)).rejects.toMatchObject({
      details: { reason: 'outside_roots', roots: root },
    });
  });

  test('the real path counts: two names of one folder are the same folder', async () => {
    await mkdir(join(root, 'work'));
    await symlink(join(root, 'work'), join(base, 'outside', 'link'));
    expect((await prepareWorkingDirectory(join(base, 'outside', 'link'), rules)).path).toBe(
      join(root, 'work'),
    );
    expect((await prepareWorkingDirectory(`${root}/./x/../work/`, rules)).path).toBe(join(root, 'work'));
  });

  test('the default folder lies in the first root', async () => {
    expect(await prepareDefaultDirectory('prj_x', rules)).toEqual({
      path: join(root, 'Aizuchi', 'prj_x'),
      made: true,
    });
    expect((await prepareDefaultDirectory('prj_x', rules)).made).toBe(false);
  });
});

describe('refused', () => {
  test.each([
    ['relative', () => 'work', /absolute/],
    ['the file system’s root', () => '/', /root of the file system/],
    ['outside', () => join(base, 'outside'), /inside the workspace roots/],
    ['outside, to be made', () => join(base, 'outside', 'new'), /inside the workspace roots/],
    ['out by dots', () => `${root}/../outside`, /inside the workspace roots/],
    ['a neighbour whose name begins like a root', () => join(base, 'rootless'), /inside the workspace roots/],
    ['the home', () => join(root, 'home'), /product's own folder/],
    ['in the home', () => join(root, 'home', 'inside'), /product's own folder/],
    ['around the home', () => root, /product's own folder/],
    ['without a parent', () => join(root, 'a', 'b'), /does not exist/],
    ['a NUL in it', () => `${root}/a\u0000b`, /absolute/],
  ])('%s', async (_name, path, reason) => {
    await expect(prepareWorkingDirectory(path(), rules)).rejects.toMatchObject(refusal(reason));
  });

  test('a file', async () => {
    await writeFile(join(root, 'file'), '');
    await expect(prepareWorkingDirectory(join(root, 'file'), rules)).rejects.toMatchObject(refusal(/a file/));
    await expect(prepareWorkingDirectory(join(root, 'file', 'x'), rules)).rejects.toMatchObject(refusal(/./));
  });

  test('a link that leads out of the roots, and nothing is made behind it', async () => {
    await symlink(join(base, 'outside'), join(root, 'link'));
    for (const path of [join(root, 'link'), join(root, 'link', 'new')])
      await expect(prepareWorkingDirectory(path, rules)).rejects.toMatchObject(refusal(/workspace roots/));
    await expect(stat(join(base, 'outside', 'new'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('a link into the home', async () => {
    await symlink(join(root, 'home'), join(root, 'link'));
    await expect(prepareWorkingDirectory(join(root, 'link'), rules)).rejects.toMatchObject(
      refusal(/own folder/),
    );
  });

  test('the error text names no path', async () => {
    await expect(prepareWorkingDirectory(join(base, 'outside'), rules)).rejects.not.toMatchObject({
      message: expect.stringContaining(base),
    });
  });
});

describe('a path that is replaced by a link meanwhile', () => {
  test('nothing is made behind it', async () => {
    const place = join(root, 'place');
    await mkdir(place);
    const wanted = prepareWorkingDirectory(join(place, 'new'), rules, async () => {
      await rename(place, `${place}-away`);
      await symlink(join(base, 'outside'), place);
    });
    await expect(wanted).rejects.toMatchObject(refusal(/not there any more/));
    expect(await readdir(join(base, 'outside'))).toEqual([]);
  });

  test('nothing is removed behind it', async () => {
    const made = await prepareWorkingDirectory(join(root, 'made'), rules);
    await mkdir(join(root, 'inner'));
    const inner = await prepareWorkingDirectory(join(root, 'inner', 'made'), rules);
    await rename(join(root, 'inner'), join(root, 'inner-away'));
    await mkdir(join(base, 'outside', 'made'));
    await symlink(join(base, 'outside'), join(root, 'inner'));
    await discardDirectory(inner, rules);
    expect(await readdir(join(base, 'outside'))).toEqual(['made']);
    await discardDirectory(made, rules);
  });
});

test('a real path that is not valid text is refused: it would lead elsewhere', async () => {
  await mkdir(join(root, 'a\nb'));
  await symlink(join(root, 'a\nb'), join(root, 'fine'));
  await expect(prepareWorkingDirectory(join(root, 'fine'), rules)).rejects.toMatchObject(refusal(/text/));
  await expect(prepareWorkingDirectory(join(root, 'x\uFFFD'), rules)).rejects.toMatchObject(refusal(/text/));
});

test('only a folder that was made and is empty is removed again', async () => {
  const made = await prepareWorkingDirectory(join(root, 'made'), rules);
  await writeFile(join(root, 'made', 'file'), 'kept');
  await discardDirectory(made, rules);
  expect((await stat(join(root, 'made'))).isDirectory()).toBe(true);
  await rm(join(root, 'made', 'file'));
  await discardDirectory({ ...made, made: false }, rules);
  expect((await stat(join(root, 'made'))).isDirectory()).toBe(true);
  await discardDirectory(made, rules);
  await expect(stat(join(root, 'made'))).rejects.toMatchObject({ code: 'ENOENT' });
});
