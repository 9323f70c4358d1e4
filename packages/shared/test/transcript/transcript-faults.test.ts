import { execFileSync } from 'node:child_process';
import { link, lstat, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/platform/db/database.ts';
import { type FileSystem, nodeFileSystem } from '../../src/platform/files/file-system.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { openTranscripts } from '../../src/platform/transcript/transcript.ts';
import { makeFolder, makeRoom, type Room, storeMessage, until } from './transcript-support.ts';
import { useTranscripts } from './transcript-world.ts';

const world = useTranscripts();

interface Obstacle {
  readonly name: string;
  readonly fault: string;
  /** Puts it in the way of a transcript that is in use; returns what must stay as it is, and how to remove it. */
  put(target: string): Promise<{ untouched?: string; remove: () => Promise<void> }>;
}

const obstacles: Obstacle[] = [
  {
    name: 'a symbolic link to another file',
    fault: 'symlink',
    async put(target) {
      const elsewhere = join(await makeFolder(), 'elsewhere.txt');
      await writeFile(elsewhere, 'mine');
      await rm(world.room.path);
      await symlink(elsewhere, world.room.path);
      return { untouched: elsewhere, remove: () => rm(target) };
    },
  },
  {
    name: 'a symbolic link to nowhere',
    fault: 'symlink',
    async put(target) {
      await rm(target);
      await symlink(join(await makeFolder(), 'nowhere'), target);
      return { remove: () => rm(target) };
    },
  },
  {
    name: 'a hard link to another file',
    fault: 'hard_link',
    async put(target) {
      const elsewhere = join(world.room.workingDirectory, 'elsewhere.txt');
      await writeFile(elsewhere, 'mine');
      await rm(target);
      await link(elsewhere, target);
      return { untouched: elsewhere, remove: () => rm(target) };
    },
  },
  {
    name: 'a second name of the transcript itself',
    fault: 'hard_link',
    async put(target) {
      const second = join(world.room.workingDirectory, 'second.jsonl');
      await link(target, second);
      return { untouched: second, remove: () => rm(second) };
    },
  },
  {
    name: 'a FIFO',
    fault: 'not_a_file',
    async put(target) {
      await rm(target);
      execFileSync('mkfifo', [target]);
      return { remove: () => rm(target) };
    },
  },
  {
    name: 'a folder',
    fault: 'not_a_file',
    async put(target) {
      await rm(target);
      await mkdir(target);
      return { remove: () => rm(target, { recursive: true }) };
    },
  },
  {
    name: 'a link in the place of the folder .ai-pm',
    fault: 'symlink',
    async put() {
      const elsewhere = await makeFolder();
      const home = join(world.room.workingDirectory, '.ai-pm');
      await rm(home, { recursive: true });
      await symlink(elsewhere, home);
      return {
        remove: async () => {
          expect(await readdir(elsewhere)).toEqual([]);
          await rm(home);
        },
      };
    },
  },
  {
    name: "a link in the place of the agent's folder",
    fault: 'symlink',
    async put(target) {
      const elsewhere = await makeFolder();
      await rm(dirname(target), { recursive: true });
      await symlink(elsewhere, dirname(target));
      return {
        remove: async () => {
          expect(await readdir(elsewhere)).toEqual([]);
          await rm(dirname(target));
        },
      };
    },
  },
  {
    name: 'a file in the place of a folder',
    fault: 'not_a_folder',
    async put(target) {
      const agents = dirname(dirname(target));
      await rm(agents, { recursive: true });
      await writeFile(agents, '');
      return { remove: () => rm(agents) };
    },
  },
  {
    name: 'no working directory any more',
    fault: 'folder_missing',
    async put() {
      const away = `${world.room.workingDirectory}-away`;
      await rename(world.room.workingDirectory, away);
      return { remove: () => rename(away, world.room.workingDirectory) };
    },
  },
];

test.each(obstacles)(
  '$name: not written through, shown, the chat goes on, all there afterwards',
  async (obstacle) => {
    await world.say('before');
    const { untouched, remove } = await obstacle.put(world.room.path);
    const content = untouched && (await readFile(untouched, 'utf8'));
    await world.say('meanwhile');
    await world.say('and again');
    expect(await world.shownFault()).toBe(
      `${obstacle.fault}: .ai-pm/agents/${world.room.agentId}/chat.jsonl`,
    );
    if (untouched) expect(await readFile(untouched, 'utf8')).toBe(content);

    await remove();
    await world.say('after');
    await world.expectFaithful();
    expect(await world.shownFault()).toBeNull();
  },
);

test.each(obstacles)('$name: the same for a process that has not seen the file yet', async (obstacle) => {
  await world.say('before');
  await world.leave();
  const { remove } = await obstacle.put(world.room.path);
  await world.reopen();
  await world.transcripts.repair(world.room);
  expect(await world.shownFault()).toMatch(new RegExp(`^${obstacle.fault}: `));
  await remove();
  await world.transcripts.repair(world.room);
  await world.expectFaithful();
  expect(await world.shownFault()).toBeNull();
});

test('a fault goes by itself when it works again, without another message', async () => {
  await world.say('before');
  const away = `${world.room.workingDirectory}-away`;
  await rename(world.room.workingDirectory, away);
  await world.say('meanwhile');
  expect(await world.shownFault()).toMatch(/^folder_missing: /);
  await rename(away, world.room.workingDirectory);
  await until(async () => (await world.shownFault()) === null);
  await world.expectFaithful();
});

test("one agent's transcript that works leaves the fault of another's", async () => {
  const neighbour: Room = await makeRoom(world.database);
  await world.say('first');
  await world.database.db
    .updateTable('projects')
    .set({ chatLogFault: `symlink: .ai-pm/agents/${neighbour.agentId}/chat.jsonl` })
    .where('id', '=', world.room.projectId)
    .execute();
  await world.transcripts.repair(world.room);
  expect(await world.shownFault()).toBe(`symlink: .ai-pm/agents/${neighbour.agentId}/chat.jsonl`);
});

test('a full disk: half a line may stand, the chat goes on, all is there when there is room', async () => {
  let space = 100;
  await world.reopen({
    ...nodeFileSystem,
    write: async (fd, bytes, position) => {
      if (space === 0) {
        throw Object.assign(new Error('ENOSPC: no space left on device'), {
          code: 'ENOSPC',
          syscall: 'write',
        });
      }
      const part = bytes.subarray(0, space);
      space -= part.length;
      return nodeFileSystem.write(fd, part, position);
    },
  });
  await world.say('does not fit');
  await world.say('neither');
  expect(await world.shownFault()).toMatch(/^no_space: /);
  expect((await lstat(world.room.path)).size).toBeGreaterThan(0);
  space = Number.MAX_SAFE_INTEGER;
  await world.say('fits');
  await world.expectFaithful();
  expect(await world.shownFault()).toBeNull();
});

test.each(['EROFS', 'EACCES'])(
  'a folder that may only be read (%s): shown, and mended when it may be written',
  async (code) => {
    let isReadOnly = true;
    await world.reopen({
      ...nodeFileSystem,
      open: (path, flags, mode) =>
        isReadOnly
          ? Promise.reject(Object.assign(new Error(`${code}: open`), { code, syscall: 'open' }))
          : nodeFileSystem.open(path, flags, mode),
    });
    await world.say('cannot be written');
    expect(await world.shownFault()).toMatch(/^not_writable: /);
    isReadOnly = false;
    await world.say('can be written');
    await world.expectFaithful();
    expect(await world.shownFault()).toBeNull();
  },
);

test('what is no regular file is not even opened: that alone could wake a device', async () => {
  await world.say('before');
  await world.leave();
  await rm(world.room.path);
  execFileSync('mkfifo', [world.room.path]);
  const opened: string[] = [];
  const open: FileSystem['open'] = (path, flags, mode) => {
    if (basename(path) === basename(world.room.path)) opened.push(path);
    return nodeFileSystem.open(path, flags, mode);
  };
  await world.reopen({ ...nodeFileSystem, open });
  await world.say('meanwhile');
  expect(await world.shownFault()).toMatch(/^not_a_file: /);
  expect(opened).toEqual([]);
});

test('a fault says nothing about where the project lies', async () => {
  await rm(world.room.workingDirectory, { recursive: true });
  await world.say('lost in the file');
  expect(await world.shownFault()).not.toContain(world.room.workingDirectory);
});

test('while the database is away a message waits for nobody, and shows no fault of the file', async () => {
  await world.say('before');
  const away = openDatabase({ url: 'postgres://nobody@127.0.0.1:1/nothing' });
  const blind = openTranscripts({ database: away, logger: createLogger('test', { level: 'silent' }) });
  // A process that has not seen the file must ask the database before it may write.
  await blind.noteStored(await storeMessage(world.database, world.room, 'not written yet'));
  await blind.repair(world.room);
  await blind.repairAll();
  await blind.close();
  await away.close();
  expect(await world.shownFault()).toBeNull();
  await world.say('after');
  await world.expectFaithful();
});

test('messages whose lengths were changed in the database never cost the file', async () => {
  for (const content of ['one', 'two', 'three']) await world.say(content);
  const before = await readFile(world.room.path, 'utf8');
  await world.database.db
    .updateTable('chatMessages')
    .set({ content: 'longer than it was' })
    .where('threadId', '=', world.room.threadId)
    .where('content', '=', 'two')
    .execute();
  await world.transcripts.repair(world.room);
  expect(await readFile(world.room.path, 'utf8')).toBe(before);
  expect(await world.shownFault()).toMatch(/^inconsistent: /);
});
