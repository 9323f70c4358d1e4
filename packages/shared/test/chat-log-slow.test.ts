import { readFile } from 'node:fs/promises';
import { setImmediate as soon } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type ChatLog, openChatLog } from '../src/chat-log/chat-log.ts';
import { type FileSystem, nodeFileSystem } from '../src/chat-log/file-system.ts';
import { type Database, openDatabase } from '../src/db/database.ts';
import { createLogger } from '../src/logger.ts';
import { createTestDatabase, type TestDatabase } from '../src/testing/test-database.ts';
import {
  addAgent,
  expectedTranscript,
  expectFaithful,
  makeRoom,
  type Room,
  removeFolders,
  storeMessage,
  until,
} from './chat-log-support.ts';

/** A file system whose writes to one fd wait until they are let go. */
class HangingFileSystem {
  hangs = false;
  /** Writes that wait. */
  held: (() => void)[] = [];
  started = 0;
  written = 0;
  readonly port: FileSystem = {
    ...nodeFileSystem,
    write: async (fd, bytes, position) => {
      this.started += 1;
      if (this.hangs) await new Promise<void>((resolve) => this.held.push(resolve));
      this.written += 1;
      return nodeFileSystem.write(fd, bytes, position);
    },
  };

  letGo(): void {
    this.hangs = false;
    for (const release of this.held.splice(0)) release();
  }
}

let testDatabase: TestDatabase;
let database: Database;
let chatLog: ChatLog;
let room: Room;
let slow: HangingFileSystem;

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
  slow = new HangingFileSystem();
  chatLog = openChatLog({
    database,
    logger: createLogger('test', { level: 'silent' }),
    fileSystem: slow.port,
  });
  room = await makeRoom(database);
  await chatLog.noteStored(await storeMessage(database, room, 'first'));
});

afterEach(async () => {
  slow.letGo();
  vi.useRealTimers();
  await chatLog.close();
});

/** Starts noting and tells whether it has returned. */
async function noting(content: string, inRoom = room): Promise<{ returned: boolean }> {
  const state = { returned: false };
  const entry = await storeMessage(database, inRoom, content);
  void chatLog.noteStored(entry).then(() => {
    state.returned = true;
  });
  return state;
}

async function passedBy(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  await soon();
}

test('a slow file system is waited for 500 ms and not longer; then the file catches up', async () => {
  slow.hangs = true;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const note = await noting('slow');
  await until(() => slow.held.length === 1);
  await passedBy(499);
  expect(note.returned).toBe(false);
  await passedBy(1);
  expect(note.returned).toBe(true);
  slow.letGo();
  vi.useRealTimers();
  await chatLog.repair(room);
  await expectFaithful(database, room);
});

test('what comes up while it hangs waits for nobody, is not kept in memory without end, and is all written', async () => {
  slow.hangs = true;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  await noting('hangs');
  await until(() => slow.held.length === 1);
  // More than the queue keeps: the rest comes from the database.
  const notes = [];
  for (let index = 0; index < 40; index += 1) notes.push(await noting(`${index} ${'z'.repeat(20_000)}`));
  await passedBy(500);
  expect(notes.every((note) => note.returned)).toBe(true);
  expect(slow.held).toHaveLength(1);
  slow.letGo();
  vi.useRealTimers();
  // Without another message.
  const expected = await expectedTranscript(database, room);
  await until(async () => (await readFile(room.path, 'utf8')) === expected);
});

test('a project whose folder hangs holds up its own files only', async () => {
  const neighbour = await makeRoom(database);
  slow.hangs = true;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  await noting('hangs');
  await until(() => slow.held.length === 1);
  slow.hangs = false;
  await chatLog.noteStored(await storeMessage(database, neighbour, 'goes through'));
  await expectFaithful(database, neighbour);
});

test('however many agents of a project write into a folder that hangs, one call hangs', async () => {
  const others = await Promise.all([1, 2, 3].map(() => addAgent(database, room)));
  for (const other of others) await chatLog.noteStored(await storeMessage(database, other, 'first'));
  slow.hangs = true;
  slow.started = 0;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  await noting('hangs');
  await until(() => slow.held.length === 1);
  const notes = [];
  for (const other of others) notes.push(await noting('waits its turn', other));
  await passedBy(500);
  expect(notes.every((note) => note.returned)).toBe(true);
  expect(slow.started).toBe(1);
  slow.letGo();
  vi.useRealTimers();
  for (const other of others) {
    await chatLog.repair(other);
    await expectFaithful(database, other);
  }
});

test('a burst is a few writes, not one a message', async () => {
  const entries = [];
  for (let index = 0; index < 500; index += 1)
    entries.push(await storeMessage(database, room, `message ${index}`));
  slow.written = 0;
  await Promise.all(entries.map((entry) => chatLog.noteStored(entry)));
  expect(slow.written).toBeLessThan(10);
  await expectFaithful(database, room);
});

test('closing does not wait for a file system that hangs', async () => {
  slow.hangs = true;
  const note = noting('hangs');
  await until(() => slow.held.length === 1);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const closed = chatLog.close();
  await passedBy(1_000);
  await closed;
  await note;
});
