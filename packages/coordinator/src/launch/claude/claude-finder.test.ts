import { constants } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ClaudeFinder } from './claude-finder.ts';
import { addedClaude, isOlder, OLDEST_CLAUDE, TESTED_CLAUDE } from './claude-release.ts';

const IS_ROOT = process.getuid?.() === 0;
const ACCOUNT = { name: 'nobody', uid: 65_534, gid: 65_534, home: '/' };

let folder: string;
let home: string;
let bin: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aizuchi-finder-'));
  home = join(folder, 'home');
  bin = join(folder, 'bin');
  await mkdir(bin);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function install(version: string): Promise<string> {
  const file = join(bin, 'claude');
  await writeFile(file, `#!/bin/sh\necho "${version} (Claude Code)"\n`);
  await chmod(file, 0o755);
  return file;
}
async function add(): Promise<string> {
  const file = addedClaude(home);
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, '');
  return file;
}
const finder = (more: object = {}) => new ClaudeFinder({ home, account: undefined, ...more });
const path = () => `/nonexistent:${bin}:/bin:/usr/bin`;

test('the one on PATH is used when it is new enough, also when another one was added', async () => {
  const [file] = [await install(OLDEST_CLAUDE), await add()];
  expect(await finder().find(path())).toEqual({ found: { file, version: OLDEST_CLAUDE } });
});

test('else the one that was added, and it is said why', async () => {
  const added = { file: await add(), version: TESTED_CLAUDE.version };
  expect(await finder().find(path())).toEqual({ found: added });
  const file = await install('2.0.9');
  expect(await finder().find(path())).toEqual({ found: added, passedOver: { file, version: '2.0.9' } });
});

test('nothing is found, or only one that is too old or broken', async () => {
  expect(await finder().find(path())).toEqual({});
  const file = await install('1.0.0');
  expect(await finder().find(path())).toEqual({ passedOver: { file, version: '1.0.0' } });
  await writeFile(file, '#!/bin/sh\nexit 1\n');
  expect(await finder().find(path())).toEqual({ passedOver: { file } });
});

test('one that says nothing and ignores SIGTERM is not waited for', async () => {
  const file = await install(OLDEST_CLAUDE);
  await writeFile(file, "#!/bin/sh\ntrap '' TERM\nwhile :; do sleep 0.1; done\n");
  expect(await finder({ versionLimitMs: 300 }).find(path())).toEqual({ passedOver: { file } });
});

test('a program that was updated is looked at again', async () => {
  const one = finder();
  const file = await install('2.0.0');
  expect((await one.find(path())).found).toBeUndefined();
  await rm(file);
  await install('2.2.0');
  expect(await one.find(path())).toEqual({ found: { file, version: '2.2.0' } });
});

/** node is one executable file that says a version, as Claude Code is. */
async function hideNode(): Promise<void> {
  // A hard link cannot lead into another file system.
  await copyFile(process.execPath, join(bin, 'claude'), constants.COPYFILE_FICLONE);
  await chmod(bin, 0o700);
  await chmod(folder, 0o711);
}

test('a program that agents cannot reach is copied to where they can', async () => {
  await hideNode();
  const hidden = join(bin, 'claude');
  const search = async (mayCopy: boolean) =>
    (await finder({ account: IS_ROOT ? ACCOUNT : undefined, mayCopy }).find(path())).found?.file;
  expect(await search(false)).toBe(hidden);
  await expect(stat(join(home, 'run', 'bin'))).rejects.toThrow();
  const copy = await search(true);
  // Agents have another account only when we are root.
  if (IS_ROOT) expect(copy).toMatch(/run\/bin\/claude-of-host-/);
  else expect(copy).toBe(hidden);
  expect([await search(true), await search(false)]).toEqual([copy, copy]);
});

test('versions are compared by their numbers', () => {
  expect(isOlder('2.1.299', '2.1.300')).toBe(true);
  expect(isOlder('2.1.300', '2.1.300')).toBe(false);
  expect(isOlder('2.1.1000', '2.1.300')).toBe(false);
  expect(isOlder('3.0.0', '2.1.300')).toBe(false);
  expect(isOlder('2.0.999', '2.1.300')).toBe(true);
  expect(isOlder(TESTED_CLAUDE.version, OLDEST_CLAUDE)).toBe(false);
});
