import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFile,
  chmod,
  chown,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { contentOf, ExchangingFileSystem, makeDecoy, StrangersFileSystem } from './transcript-intruder.ts';
import { makeFolder } from './transcript-support.ts';
import { useTranscripts } from './transcript-world.ts';

/*
 * Whoever owns the working directory (as root: the agents' account) may rename and replace everything that lies in
 * it. What is written for the person must go nowhere else for all that.
 */

const world = useTranscripts();
afterEach(() => void vi.useRealTimers());

const home = () => join(world.room.workingDirectory, '.ai-pm');
const inRoom = async (pattern: RegExp) =>
  (await readdir(world.room.workingDirectory)).filter((name) => pattern.test(name));

describe("trap 31: another account's folder in the place of ours", () => {
  let strangers: StrangersFileSystem;
  beforeEach(async () => {
    strangers = new StrangersFileSystem();
    await world.reopen(strangers.port);
  });

  /** What the intruder puts there, open to everybody. */
  async function replaceHome(): Promise<void> {
    await rename(home(), `${home()}-ours-${Date.now()}`);
    await mkdir(dirname(world.room.path), { recursive: true });
    await writeFile(world.room.path, '', { mode: 0o666 });
    for (let path = world.room.path; path !== world.room.workingDirectory; path = dirname(path))
      await strangers.give(path);
  }

  const putAside = /^not_ours: \.ai-pm\.foreign-\d{8}T\d{9}Z$/;

  test('nothing is written into it: it is put aside, shown, and the transcript stands beside it', async () => {
    await world.say('before');
    await replaceHome();
    await world.say('a secret');
    expect(await world.shownFault()).toMatch(putAside);
    const [aside] = await inRoom(/^\.ai-pm\.foreign-/);
    const theirs = join(world.room.workingDirectory, aside ?? '', 'agents', world.room.agentId, 'chat.jsonl');
    expect(await readFile(theirs, 'utf8')).toBe('');
    await world.expectFaithful();
    expect((await lstat(home())).uid).toBe(process.geteuid?.());
    expect((await lstat(world.room.path)).mode & 0o777).toBe(0o600);
  });

  test('a process that has not seen the file before does the same', async () => {
    await world.say('before');
    await replaceHome();
    await world.reopen(strangers.port);
    await world.transcripts.repairAll();
    expect(await world.shownFault()).toMatch(putAside);
    await world.expectFaithful();
  });

  test.each([
    { what: 'agents', find: (file: string) => dirname(dirname(file)) },
    { what: 'its folder', find: (file: string) => dirname(file) },
    { what: 'the file', find: (file: string) => file },
  ])('what is theirs further down is not ours either: $what', async ({ find }) => {
    await world.say('before');
    await strangers.give(find(world.room.path));
    await world.say('a secret');
    await world.reopen(strangers.port);
    await world.say('and another');
    const [aside] = await inRoom(/^\.ai-pm\.foreign-/);
    const theirs = join(world.room.workingDirectory, aside ?? '', 'agents', world.room.agentId);
    expect(await readFile(join(theirs, 'chat.jsonl'), 'utf8')).not.toContain('another');
    await world.expectFaithful();
  });

  test('replaced again and again it is renewed once a minute, and nothing is written meanwhile', async () => {
    await world.say('before');
    await replaceHome();
    await world.say('first');
    await replaceHome();
    await world.say('a secret');
    expect(await world.shownFault()).toBe(`not_ours: .ai-pm/agents/${world.room.agentId}/chat.jsonl`);
    expect(await readFile(world.room.path, 'utf8')).toBe('');
    expect(await inRoom(/^\.ai-pm\.foreign-/)).toHaveLength(1);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
    await world.say('later');
    await world.expectFaithful();
    vi.setSystemTime(Date.now() + 61_000);
    await world.say('and all is well');
    expect(await world.shownFault()).toBeNull();
  });

  test('where the file system keeps no owner nothing is written, and nothing is moved', async () => {
    strangers.mapsOwners = true;
    await world.say('a secret');
    await world.say('another');
    expect(await world.shownFault()).toMatch(/^owner_not_kept: /);
    expect(Object.values(await contentOf(world.room.workingDirectory)).join()).not.toContain('secret');
    expect(await inRoom(/foreign|probe/)).toEqual([]);
    strangers.mapsOwners = false;
    await world.say('ours again');
    await world.expectFaithful();
    expect(await world.shownFault()).toBeNull();
  });
});

describe('rights that somebody gave to others', () => {
  test('on the file: whoever has opened it reads no further, a new one is written', async () => {
    await world.say('before');
    await chmod(world.room.path, 0o644);
    const { ino } = await lstat(world.room.path);
    await world.say('a secret');
    await world.expectFaithful();
    expect(await lstat(world.room.path)).not.toMatchObject({ ino });
    expect(await world.shownFault()).toMatch(/^altered: .*\.altered-/);
    await world.leave();
    await chmod(world.room.path, 0o640);
    await world.reopen();
    await world.say('by another process');
    expect((await lstat(world.room.path)).mode & 0o777).toBe(0o600);
    await world.expectFaithful();
  });

  test('on the folders: taken back when the file is opened next', async () => {
    await world.say('before');
    const folder = dirname(world.room.path);
    for (const path of [home(), dirname(folder), folder]) await chmod(path, 0o777);
    await world.reopen();
    await world.say('a secret');
    const modes = await Promise.all(
      [home(), dirname(folder), folder].map(async (path) => (await lstat(path)).mode & 0o777),
    );
    expect(modes).toEqual([0o755, 0o700, 0o700]);
    await world.expectFaithful();
    expect(await world.shownFault()).toBeNull();
  });
});

describe('a link', () => {
  test('in the place of the working directory is not followed', async () => {
    await world.say('before');
    const elsewhere = await makeFolder();
    const away = `${world.room.workingDirectory}-away`;
    await rename(world.room.workingDirectory, away);
    await symlink(elsewhere, world.room.workingDirectory);
    await world.say('meanwhile');
    expect(await readdir(elsewhere)).toEqual([]);
    expect(await world.shownFault()).toMatch(/^symlink: /);
    await rm(world.room.workingDirectory);
    await rename(away, world.room.workingDirectory);
    await world.say('after');
    await world.expectFaithful();
  });

  const scenes = [
    { scene: 'a first line', prepare: async () => undefined },
    {
      scene: 'a line after an altered one',
      prepare: async () => {
        await world.say('before');
        await appendFile(world.room.path, 'I was here\n');
      },
    },
  ];

  // Every moment in which the product is between two calls, one after the other; and the link is gone before the end.
  test.each(scenes.flatMap((scene) => [1, 2, 1_000].map((stays) => ({ ...scene, stays }))))(
    'put there before any call of the file system, for $stays calls, with $scene',
    async ({ prepare, stays }) => {
      let at = 0;
      for (let reached = true; reached; at += 1) {
        await world.leave();
        await world.enter();
        await prepare();
        const target = await makeDecoy(world.room);
        const before = await contentOf(target);
        const exchanging = new ExchangingFileSystem({ room: world.room, target, at, stays });
        await world.reopen(exchanging.port);
        await world.say('a secret');
        await world.leave();
        expect(await contentOf(target)).toEqual(before);
        expect(exchanging.open).toBe(0);
        reached = exchanging.calls > at;
      }
      // Or nothing was tried.
      expect(at).toBeGreaterThan(20);
    },
    120_000,
  );

  test('exchanged in a loop by another process leads nowhere', async () => {
    const target = await makeDecoy(world.room);
    const before = await contentOf(target);
    await world.say('before');
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) await chown(world.room.workingDirectory, 65_534, 65_534);
    const intruder = spawn(process.execPath, ['-e', EXCHANGE, home(), target], {
      stdio: ['pipe', 'pipe', 'inherit'],
      ...(isRoot && { uid: 65_534, gid: 65_534 }),
    });
    const ended = once(intruder, 'exit');
    await once(intruder.stdout, 'data');
    const until = Date.now() + 3_000;
    for (let count = 0; Date.now() < until; count += 1) {
      await world.say(`secret ${count}`);
      // Found anew each time, as after a file that was put aside.
      if (count % 3 === 0) await world.reopen();
    }
    intruder.stdin.end();
    expect(await ended).toEqual([0, null]);
    expect(await contentOf(target)).toEqual(before);
    await world.reopen();
    await world.transcripts.repair(world.room);
    await world.expectFaithful();
  }, 60_000);
});

/** Puts a link in the place of a folder and back, until its stdin ends; leaves the folder there. */
const EXCHANGE = `
const { renameSync, symlinkSync, unlinkSync } = require('node:fs');
const [home, target] = process.argv.slice(1);
let ends = false;
process.stdin.on('end', () => { ends = true; }).resume();
const quietly = (work) => { try { work(); } catch (error) { if (!['ENOENT', 'EEXIST', 'ENOTEMPTY', 'EISDIR', 'ENOTDIR', 'EPERM', 'EACCES'].includes(error.code)) throw error; } };
// As long as a few calls of the product take, so that either may stand there at each of them.
const linger = () => { const end = performance.now() + Math.random(); while (performance.now() < end); };
let number = 0;
(function round() {
  for (let count = 0; count < 50; count += 1) {
    // A new name each time: when the product has made a new folder meanwhile, the held one stays where it is.
    const held = home + '-held-' + (number += 1);
    symlinkSync(target, home + '-link');
    quietly(() => renameSync(home, held));
    quietly(() => renameSync(home + '-link', home));
    linger();
    quietly(() => unlinkSync(home));
    quietly(() => unlinkSync(home + '-link'));
    quietly(() => renameSync(held, home));
    linger();
  }
  process.stdout.write('.');
  if (!ends) setImmediate(round);
})();
`;
