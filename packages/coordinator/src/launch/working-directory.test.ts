import { execFileSync } from 'node:child_process';
import { chmod, chown, lstat, mkdir, mkdtemp, realpath, rename, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { RUN_ERRORS } from '../texts/run-errors.ts';
import { mayBeGiven, openWorkingDirectory } from './working-directory.ts';

const ACCOUNT = { name: 'nobody', uid: 65_534, gid: 65_534, home: '/' };
const IS_ROOT = process.getuid?.() === 0;
/** The owner of the folders, and the account that they are given to: only root can give a folder away. */
const OURSELVES = process.getuid?.() ?? 0;
const GIVEN_TO = IS_ROOT ? ACCOUNT.uid : OURSELVES;

let root: string;
let place: string;
let folder: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'aizuchi-work-')));
  place = join(root, 'place');
  folder = join(place, 'work');
  await mkdir(folder, { recursive: true });
  await mkdir(join(root, 'elsewhere'));
});

afterEach(() => rm(root, { recursive: true, force: true }));

const opening = (path = folder, made = true) =>
  openWorkingDirectory(path, made, {
    config: { workspaceRoots: [root] },
    account: IS_ROOT ? ACCOUNT : undefined,
    texts: RUN_ERRORS.en,
  });
const ownerOf = async (path: string) => (await stat(path)).uid;

test('a folder that we made is given to the agents, the own folder of a person is not', async () => {
  await (await opening(folder, false)).close();
  expect(await ownerOf(folder)).toBe(OURSELVES);
  await (await opening()).close();
  expect(await ownerOf(folder)).toBe(GIVEN_TO);
  expect(await ownerOf(place)).toBe(OURSELVES);
});

test.each(['the folder', 'what lies above it'])(
  'with a link in the place of %s nothing is given away',
  async (what) => {
    const target = join(root, 'elsewhere');
    await mkdir(join(target, 'work'));
    const replaced = what === 'the folder' ? folder : place;
    await rename(replaced, `${replaced}-away`);
    await symlink(target, replaced);
    await expect(opening()).rejects.toThrow(/has become a link/);
    expect(await ownerOf(target)).toBe(OURSELVES);
    expect(await ownerOf(join(target, 'work'))).toBe(OURSELVES);
  },
);

test('a folder below one that agents may write keeps its owner', async () => {
  await chmod(place, 0o777);
  await (await opening()).close();
  expect(await ownerOf(folder)).toBe(OURSELVES);
  await chmod(place, 0o755);
  if (IS_ROOT) await chown(place, ACCOUNT.uid, ACCOUNT.gid);
  await (await opening()).close();
  expect(await ownerOf(folder)).toBe(OURSELVES);
});

test.each([
  ['root’s below root’s', { uid: 0, mode: 0o755 }, [{ uid: 0, mode: 0o755 }], true],
  ['below a person’s', { uid: 0, mode: 0o755 }, [{ uid: 1000, mode: 0o700 }], true],
  ['below the temp folder', { uid: 0, mode: 0o755 }, [{ uid: 0, mode: 0o1777 }], true],
  ['somebody’s', { uid: 1000, mode: 0o755 }, [{ uid: 0, mode: 0o755 }], false],
  ['below the agents’', { uid: 0, mode: 0o755 }, [{ uid: ACCOUNT.uid, mode: 0o700 }], false],
  ['below one of a group', { uid: 0, mode: 0o755 }, [{ uid: 0, mode: 0o775 }], false],
  [
    'far below everybody’s',
    { uid: 0, mode: 0o755 },
    [
      { uid: 0, mode: 0o777 },
      { uid: 0, mode: 0o755 },
    ],
    false,
  ],
  ['below the agents’ sticky one', { uid: 0, mode: 0o755 }, [{ uid: ACCOUNT.uid, mode: 0o1777 }], false],
])('may be given: %s', (_name, stats, above, expected) => {
  expect(mayBeGiven({ stats, above }, ACCOUNT)).toBe(expected);
});

test('trap 30: a run begins in the folder that was checked, even if its name leads elsewhere by then', async () => {
  const opened = await opening();
  await rename(folder, `${folder}-away`);
  await symlink(join(root, 'elsewhere'), folder);
  const cwd = execFileSync('/bin/pwd', ['-P'], { cwd: opened.self, encoding: 'utf8' }).trim();
  await opened.close();
  expect((await lstat(folder)).isSymbolicLink()).toBe(true);
  expect(cwd).toBe(`${folder}-away`);
});

test('a missing folder, or a file in its place, is reported as missing', async () => {
  await expect(opening(join(place, 'none'))).rejects.toThrow(/does not exist/);
  await expect(opening('/etc/passwd')).rejects.toThrow(/does not exist/);
});
