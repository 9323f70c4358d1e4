import { execFileSync } from 'node:child_process';
import { link, lstat, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ChatLog, openChatLog } from '../src/chat-log/chat-log.ts';
import { type FileSystem, nodeFileSystem } from '../src/chat-log/file-system.ts';
import { type Database, openDatabase } from '../src/db/database.ts';
import { createLogger } from '../src/logger.ts';
import { createTestDatabase, type TestDatabase } from '../src/testing/test-database.ts';
import {
  expectFaithful,
  makeFolder,
  makeRoom,
  type Room,
  removeFolders,
  shownFault,
  storeMessage,
  until,
} from './chat-log-support.ts';

let testDatabase: TestDatabase;
let database: Database;
let chatLog: ChatLog;
let room: Room;
const logger = createLogger('test', { level: 'silent' });

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase({ url: testDatabase.url });
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
  await removeFolders();
});

beforeEach(async () => {
  chatLog = openChatLog({ database, logger });
  room = await makeRoom(database);
});

afterEach(() => chatLog.close());

async function say(content: string, inRoom = room): Promise<void> {
  await chatLog.noteStored(await storeMessage(database, inRoom, content));
}

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
      await rm(room.path);
      await symlink(elsewhere, room.path);
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
      const elsewhere = join(room.workingDirectory, 'elsewhere.txt');
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
      const second = join(room.workingDirectory, 'second.jsonl');
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
      const home = join(room.workingDirectory, '.ai-pm');
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
      const away = `${room.workingDirectory}-away`;
      await rename(room.workingDirectory, away);
      return { remove: () => rename(away, room.workingDirectory) };
    },
  },
];

test.each(obstacles)(
  '$name: not written through, shown, the chat goes on, all there afterwards',
  async (obstacle) => {
    await say('before');
    const { untouched, remove } = await obstacle.put(room.path);
    const content = untouched && (await readFile(untouched, 'utf8'));
    await say('meanwhile');
    await say('and again');
    expect(await shownFault(database, room)).toBe(
      `${obstacle.fault}: .ai-pm/agents/${room.agentId}/chat.jsonl`,
    );
    if (untouched) expect(await readFile(untouched, 'utf8')).toBe(content);

    await remove();
    await say('after');
    await expectFaithful(database, room);
    expect(await shownFault(database, room)).toBeNull();
  },
);

test.each(obstacles)('$name: the same for a process that has not seen the file yet', async (obstacle) => {
  await say('before');
  await chatLog.close();
  const { remove } = await obstacle.put(room.path);
  chatLog = openChatLog({ database, logger });
  await chatLog.repair(room);
  expect(await shownFault(database, room)).toMatch(new RegExp(`^${obstacle.fault}: `));
  await remove();
  await chatLog.repair(room);
  await expectFaithful(database, room);
  expect(await shownFault(database, room)).toBeNull();
});

test('a fault goes by itself when it works again, without another message', async () => {
  await say('before');
  const away = `${room.workingDirectory}-away`;
  await rename(room.workingDirectory, away);
  await say('meanwhile');
  expect(await shownFault(database, room)).toMatch(/^folder_missing: /);
  await rename(away, room.workingDirectory);
  await until(async () => (await shownFault(database, room)) === null);
  await expectFaithful(database, room);
});

test("one agent's transcript that works leaves the fault of another's", async () => {
  const neighbour: Room = await makeRoom(database);
  await say('first');
  await database.db
    .updateTable('projects')
    .set({ chatLogFault: `symlink: .ai-pm/agents/${neighbour.agentId}/chat.jsonl` })
    .where('id', '=', room.projectId)
    .execute();
  await chatLog.repair(room);
  expect(await shownFault(database, room)).toBe(`symlink: .ai-pm/agents/${neighbour.agentId}/chat.jsonl`);
});

test('a full disk: half a line may stand, the chat goes on, all is there when there is room', async () => {
  let space = 100;
  await chatLog.close();
  chatLog = openChatLog({
    database,
    logger,
    fileSystem: {
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
    },
  });
  await say('does not fit');
  await say('neither');
  expect(await shownFault(database, room)).toMatch(/^no_space: /);
  expect((await lstat(room.path)).size).toBeGreaterThan(0);
  space = Number.MAX_SAFE_INTEGER;
  await say('fits');
  await expectFaithful(database, room);
  expect(await shownFault(database, room)).toBeNull();
});

test('what is no regular file is not even opened: that alone could wake a device', async () => {
  await say('before');
  await chatLog.close();
  await rm(room.path);
  execFileSync('mkfifo', [room.path]);
  const opened: string[] = [];
  const open: FileSystem['open'] = (path, flags, mode) => {
    opened.push(path);
    return nodeFileSystem.open(path, flags, mode);
  };
  chatLog = openChatLog({ database, logger, fileSystem: { ...nodeFileSystem, open } });
  await say('meanwhile');
  expect(await shownFault(database, room)).toMatch(/^not_a_file: /);
  expect(opened).toEqual([]);
});

test('a fault says nothing about where the project lies', async () => {
  await rm(room.workingDirectory, { recursive: true });
  await say('lost in the file');
  expect(await shownFault(database, room)).not.toContain(room.workingDirectory);
});

test('while the database is away a message waits for nobody, and shows no fault of the file', async () => {
  await say('before');
  const away = openDatabase({ url: 'postgres://nobody@127.0.0.1:1/nothing' });
  const blind = openChatLog({ database: away, logger });
  // A process that has not seen the file must ask the database before it may write.
  await blind.noteStored(await storeMessage(database, room, 'not written yet'));
  await blind.repair(room);
  await blind.repairAll();
  await blind.close();
  await away.close();
  expect(await shownFault(database, room)).toBeNull();
  await say('after');
  await expectFaithful(database, room);
});

test('messages whose lengths were changed in the database never cost the file', async () => {
  for (const content of ['one', 'two', 'three']) await say(content);
  const before = await readFile(room.path, 'utf8');
  await database.db
    .updateTable('chatMessages')
    .set({ content: 'longer than it was' })
    .where('threadId', '=', room.threadId)
    .where('content', '=', 'two')
    .execute();
  await chatLog.repair(room);
  expect(await readFile(room.path, 'utf8')).toBe(before);
  expect(await shownFault(database, room)).toMatch(/^inconsistent: /);
});
