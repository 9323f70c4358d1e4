import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ChatLog, openChatLog } from '../src/chat-log/chat-log.ts';
import { type Database, openDatabase } from '../src/db/database.ts';
import { createLogger } from '../src/logger.ts';
import { createTestDatabase, type TestDatabase } from '../src/testing/test-database.ts';
import {
  expectFaithful,
  makeFolder,
  makeRoom,
  removeFolders,
  shownFault,
  storeMessage,
  transcriptPath,
} from './chat-log-support.ts';

let testDatabase: TestDatabase;
let database: Database;
let chatLog: ChatLog;
const logger = createLogger('test', { level: 'silent' });

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase({ url: testDatabase.url });
  chatLog = openChatLog({ database, logger });
});

afterAll(async () => {
  await chatLog.close();
  await database.close();
  await testDatabase.drop();
  await removeFolders();
});

test('a stored message is in the file when the call has returned', async () => {
  const room = await makeRoom(database);
  for (const content of ['一つ目', 'two "quoted"\n', '三 🎌 \u2028 \u0007']) {
    await chatLog.noteStored(await storeMessage(database, room, content));
    await expectFaithful(database, room);
  }
  expect(await shownFault(database, room)).toBeNull();
});

test('the folder ignores itself, and nobody else may read a transcript', async () => {
  const room = await makeRoom(database);
  await chatLog.noteStored(await storeMessage(database, room));
  expect(await readFile(join(room.workingDirectory, '.ai-pm', '.gitignore'), 'utf8')).toBe('*\n');
  expect((await stat(room.path)).mode & 0o777).toBe(0o600);
});

test('a burst of a thousand messages stands complete and in the order of commits', async () => {
  const room = await makeRoom(database);
  await Promise.all(
    Array.from({ length: 1_000 }, async (_, index) =>
      chatLog.noteStored(await storeMessage(database, room, `message ${index}`)),
    ),
  );
  await expectFaithful(database, room);
});

test('lines noted in another order than stored still stand in their places', async () => {
  const room = await makeRoom(database);
  const stored = [];
  for (let index = 0; index < 20; index += 1)
    stored.push(await storeMessage(database, room, `message ${index}`));
  await Promise.all(stored.reverse().map((entry) => chatLog.noteStored(entry)));
  await expectFaithful(database, room);
});

test('another working directory gets the whole file', async () => {
  const room = await makeRoom(database);
  await chatLog.noteStored(await storeMessage(database, room, 'before'));
  const moved = { ...room, workingDirectory: await makeFolder() };
  await database.db
    .updateTable('projects')
    .set({ workingDirectory: moved.workingDirectory })
    .where('id', '=', room.projectId)
    .execute();
  await chatLog.noteStored(await storeMessage(database, moved, 'after'));
  await expectFaithful(database, room, transcriptPath(moved.workingDirectory, room.agentId));
});

test('more files than may be open at once are written all the same', async () => {
  const few = openChatLog({ database, logger, maxOpenFiles: 2 });
  const rooms = await Promise.all(Array.from({ length: 6 }, () => makeRoom(database)));
  for (let round = 0; round < 3; round += 1) {
    await Promise.all(
      rooms.map(async (room) => few.noteStored(await storeMessage(database, room, `${round}`))),
    );
  }
  await few.close();
  for (const room of rooms) await expectFaithful(database, room);
});
