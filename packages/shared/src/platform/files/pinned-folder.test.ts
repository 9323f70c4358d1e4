import { chmod, mkdir, mkdtemp, readdir, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { nodeFileSystem } from './file-system.ts';
import { PinnedFolder } from './pinned-folder.ts';
import { openFolder } from './walk.ts';

let base: string;

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'aizuchi-pinned-')));
  await mkdir(join(base, 'root', 'work', 'inner'), { recursive: true });
  await mkdir(join(base, 'elsewhere'));
});

afterEach(() => rm(base, { recursive: true, force: true }));

describe.each([true, false])('held by a descriptor: %s', (byDescriptor) => {
  const options = { fileSystem: nodeFileSystem, byDescriptor: byDescriptor && process.platform === 'linux' };
  const walk = (path: string, roots = [join(base, 'root')]) => openFolder(path, roots, options);

  test('a folder is found below its root, with what was gone through', async () => {
    const folder = await walk(join(base, 'root', 'work', 'inner'));
    expect(folder.stats.isDirectory()).toBe(true);
    expect(folder.above).toHaveLength(2);
    await nodeFileSystem.mkdir(folder.at('made'), 0o700);
    expect(await readdir(join(base, 'root', 'work', 'inner'))).toEqual(['made']);
    expect(await folder.isInPlace()).toBe(true);
    await folder.close();
  });

  test.each(['work', 'work/inner'])('a link in the place of %s is refused', async (place) => {
    await rm(join(base, 'root', place), { recursive: true });
    await symlink(join(base, 'elsewhere'), join(base, 'root', place));
    await mkdir(join(base, 'elsewhere', 'inner'));
    await expect(walk(join(base, 'root', 'work', 'inner'))).rejects.toMatchObject({ kind: 'link' });
  });

  test('so is a file, and what is not there', async () => {
    await writeFile(join(base, 'root', 'file'), '');
    await expect(walk(join(base, 'root', 'file'))).rejects.toMatchObject({ kind: 'not_a_folder' });
    await expect(walk(join(base, 'root', 'file', 'x'))).rejects.toMatchObject({ kind: 'not_a_folder' });
    await expect(walk(join(base, 'root', 'none', 'x'))).rejects.toMatchObject({ kind: 'missing' });
  });

  test('the root itself may be a link, as its owner wants it; below another root it may not', async () => {
    const link = join(base, 'link');
    await symlink(join(base, 'root'), link);
    await (await walk(join(base, 'root', 'work'), [link])).close();
    await (await walk(join(link, 'work'), [link])).close();
    await expect(walk(join(link, 'work'), [base, link])).rejects.toMatchObject({ kind: 'link' });
    await expect(walk(join(link, 'work'), [])).rejects.toMatchObject({ kind: 'link' });
  });

  test('only the name of an entry can be named', async () => {
    const folder = await walk(join(base, 'root'));
    for (const name of ['', '.', '..', 'a/b', '/']) expect(() => folder.at(name)).toThrow('entry');
    await folder.close();
  });

  test('a folder that went away while it was held is not written elsewhere, or it is noticed', async () => {
    const folder = await walk(join(base, 'root', 'work'));
    await rename(join(base, 'root', 'work'), join(base, 'moved'));
    await symlink(join(base, 'elsewhere'), join(base, 'root', 'work'));
    await nodeFileSystem.mkdir(folder.at('made'), 0o700);
    const led = (await readdir(join(base, 'elsewhere'))).includes('made');
    expect(led).toBe(!(await folder.isInPlace()));
    expect(led).toBe(!options.byDescriptor);
    await folder.close();
  });
});

test('a folder that may be entered and not read can be held', async () => {
  await chmod(join(base, 'root'), 0o311);
  try {
    const folder = await PinnedFolder.open(join(base, 'root'), { fileSystem: nodeFileSystem });
    const work = await folder.enter('work');
    expect(work).toBeDefined();
    await work?.close();
    await folder.close();
  } finally {
    await chmod(join(base, 'root'), 0o755);
  }
});
