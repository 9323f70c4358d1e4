import { chmod, mkdir, mkdtemp, realpath, rename, rm, rmdir, symlink, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { listFolders, listRoots, MAX_FOLDERS } from './list-folders.ts';
import type { WorkingDirectoryRules } from './working-directory.ts';

let base: string;
let root: string;
let rules: WorkingDirectoryRules;

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'aizuchi-list-')));
  root = join(base, 'root');
  await mkdir(join(root, 'own'), { recursive: true });
  await mkdir(join(base, 'outside', 'secret'), { recursive: true });
  rules = { workspaceRoots: [root], home: join(root, 'own') };
});

afterEach(() => rm(base, { recursive: true, force: true }));

const namesOf = async (path: string) => (await listFolders(path, rules)).folders.map(({ name }) => name);
const refusal = (reason: string) => ({ code: 'working_directory_not_allowed', details: { reason } });

describe('listed', () => {
  test('are the folders inside, in order of their names, with the way to them', async () => {
    for (const name of ['b', 'a10', 'a9', 'own2']) await mkdir(join(root, 'work', name), { recursive: true });
    await writeFile(join(root, 'work', 'file'), '');
    expect(await listFolders(join(root, 'work'), rules)).toEqual({
      path: join(root, 'work'),
      trail: [
        { name: root, path: root },
        { name: 'work', path: join(root, 'work') },
      ],
      folders: ['a9', 'a10', 'b', 'own2'].map((name) => ({
        name,
        path: join(root, 'work', name),
        looksLikeAnother: false,
      })),
      isCut: false,
      leftOut: 0,
    });
  });

  test('neither links, nor hidden folders, nor the own folder of the product', async () => {
    await mkdir(join(root, 'work'));
    await mkdir(join(root, '.ssh'));
    await symlink(join(base, 'outside'), join(root, 'away'));
    await symlink(join(root, 'work'), join(root, 'near'));
    expect(await namesOf(root)).toEqual(['work']);
  });

  test('by a link to it: the real path is listed', async () => {
    await mkdir(join(root, 'work', 'a'), { recursive: true });
    await symlink(join(root, 'work'), join(base, 'outside', 'link'));
    expect(await listFolders(join(base, 'outside', 'link'), rules)).toMatchObject({
      path: join(root, 'work'),
      folders: [{ name: 'a' }],
    });
  });

  test('~ is the home of the account', async () => {
    await expect(listFolders('~', { ...rules, workspaceRoots: [root] })).rejects.toMatchObject(
      refusal('outside_roots'),
    );
    const list = await listFolders('~', { ...rules, workspaceRoots: [homedir()] });
    expect(list.path).toBe(await realpath(homedir()));
  });

  test('at most so many, and it says that there are more', async () => {
    const names = Array.from({ length: MAX_FOLDERS + 1 }, (_none, n) => `f${n}`);
    await Promise.all(names.map((name) => mkdir(join(root, 'many', name), { recursive: true })));
    const list = await listFolders(join(root, 'many'), rules);
    expect(list.isCut).toBe(true);
    expect(list.folders.map(({ name }) => name)).toEqual(names.slice(0, MAX_FOLDERS));
    await rmdir(join(root, 'many', 'f0'));
    expect((await listFolders(join(root, 'many'), rules)).isCut).toBe(false);
  });

  test('names that look the same are marked; those that nobody can read are counted', async () => {
    const names = ['paypal', 'pаypal', 'other', 'a\nb', 'in\u200bvisible', 'left\u202eright'];
    for (const name of names) await mkdir(join(root, 'names', name), { recursive: true });
    const notUtf8 = Buffer.concat([Buffer.from(`${join(root, 'names')}/`), Buffer.from([0x66, 0xff])]);
    await mkdir(notUtf8);
    const { folders, leftOut } = await listFolders(join(root, 'names'), rules);
    expect(folders.map(({ name, looksLikeAnother }) => [name, looksLikeAnother]).toSorted()).toEqual(
      [
        ['other', false],
        ['paypal', true],
        ['pаypal', true],
      ].toSorted(),
    );
    expect(leftOut).toBe(4);
    await expect(listFolders(join(root, 'names', 'f\uFFFD'), rules)).rejects.toMatchObject(
      refusal('missing'),
    );
    await expect(listFolders(join(root, 'names', 'in\u200bvisible'), rules)).rejects.toMatchObject(
      refusal('not_text'),
    );
  });

  test('without a path are the roots that exist', async () => {
    const roots = await listRoots({ workspaceRoots: [root, join(base, 'gone'), root] });
    expect(roots.folders.map(({ path }) => path)).toEqual([root]);
  });
});

describe('refused', () => {
  test.each([
    ['relative', () => 'work', 'relative'],
    ['outside', () => join(base, 'outside'), 'outside_roots'],
    ['around a root', () => base, 'outside_roots'],
    ['the file system’s root', () => '/', 'outside_roots'],
    ['out by dots', () => `${root}/../outside`, 'outside_roots'],
    ['a neighbour whose name begins like a root', () => `${root}less`, 'missing'],
    ['the own folder of the product', () => join(root, 'own'), 'home'],
    ['what is not there', () => join(root, 'a', 'b'), 'missing'],
  ])('%s', async (_name, path, reason) => {
    await expect(listFolders(path(), rules)).rejects.toMatchObject({
      code: 'working_directory_not_allowed',
      details: { reason },
    });
  });

  test('a file, a hidden folder and what lies in one', async () => {
    await writeFile(join(root, 'file'), '');
    await mkdir(join(root, '.ssh', 'keys'), { recursive: true });
    await expect(listFolders(join(root, 'file'), rules)).rejects.toMatchObject(refusal('file'));
    for (const path of [join(root, '.ssh'), join(root, '.ssh', 'keys')])
      await expect(listFolders(path, rules)).rejects.toMatchObject(refusal('hidden'));
  });

  test('a link that leads out of the roots', async () => {
    await symlink(join(base, 'outside'), join(root, 'link'));
    for (const path of [join(root, 'link'), join(root, 'link', 'secret')])
      await expect(listFolders(path, rules)).rejects.toMatchObject({ details: { reason: 'outside_roots' } });
  });

  test('a folder that is replaced by a link, or removed, between the check and the use', async () => {
    const place = join(root, 'place');
    await mkdir(join(place, 'inner'), { recursive: true });
    const replaced = listFolders(join(place, 'inner'), rules, async () => {
      await rename(place, `${place}-away`);
      await symlink(join(base, 'outside'), place);
    });
    await expect(replaced).rejects.toMatchObject(refusal('parent_gone'));
    await mkdir(join(root, 'short'));
    const removed = listFolders(join(root, 'short'), rules, () => rmdir(join(root, 'short')));
    await expect(removed).rejects.toMatchObject(refusal('parent_gone'));
  });

  test('a folder that the account may not read; root may read it', async () => {
    await mkdir(join(root, 'closed', 'a'), { recursive: true });
    await chmod(join(root, 'closed'), 0o300);
    const listed = await listFolders(join(root, 'closed'), rules).catch((error: unknown) => error);
    await chmod(join(root, 'closed'), 0o700);
    expect(listed).toMatchObject(
      process.getuid?.() === 0 ? { folders: [{ name: 'a' }] } : refusal('cannot_follow'),
    );
  });
});
