import { appendFile, copyFile, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type ChatLog, openChatLog } from '../src/chat-log/chat-log.ts';
import { type Database, openDatabase } from '../src/db/database.ts';
import { createLogger } from '../src/logger.ts';
import { createTestDatabase, type TestDatabase } from '../src/testing/test-database.ts';
import {
  expectFaithful,
  makeRoom,
  type Room,
  removeFolders,
  shownFault,
  storeMessage,
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

afterEach(async () => {
  vi.useRealTimers();
  await chatLog.close();
});

async function say(count: number, content = 'said'): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    await chatLog.noteStored(await storeMessage(database, room, `${content} ${index}`));
  }
}

async function otherProcess(): Promise<void> {
  await chatLog.close();
  chatLog = openChatLog({ database, logger });
}

async function keptAside(): Promise<string[]> {
  const folder = dirname(room.path);
  const names = (await readdir(folder)).filter((name) => name.startsWith('chat.jsonl.altered-'));
  return Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
}

describe('what a crash leaves', () => {
  test('messages that were stored and never noted come with the next one', async () => {
    await say(2);
    for (let index = 0; index < 5; index += 1) await storeMessage(database, room, `lost ${index}`);
    await say(1);
    await expectFaithful(database, room);
  });

  test('they come with a repair, and with the repair of everything at the start', async () => {
    await say(2);
    await storeMessage(database, room, 'lost');
    await otherProcess();
    await chatLog.repair(room);
    await expectFaithful(database, room);

    await storeMessage(database, room, 'lost again');
    await otherProcess();
    await chatLog.repairAll();
    await expectFaithful(database, room);
  });

  test.each(['the next append', 'a repair'])('a torn line is mended by %s', async (way) => {
    await say(3);
    const { size } = await storedEnd();
    await truncate(room.path, size - 25);
    await otherProcess();
    if (way === 'a repair') await chatLog.repair(room);
    else await say(1);
    await expectFaithful(database, room);
    expect(await keptAside()).toEqual([]);
  });

  test('a line torn by a process that lives on is mended too', async () => {
    await say(2);
    const entry = await storeMessage(database, room, 'torn');
    await appendFile(room.path, entry.line.slice(0, 40));
    await say(1);
    await expectFaithful(database, room);
    expect(await keptAside()).toEqual([]);
  });

  test('a line that stands already is not written twice', async () => {
    await say(1);
    const entry = await storeMessage(database, room, 'once');
    await appendFile(room.path, entry.line);
    await chatLog.noteStored(entry);
    await chatLog.noteStored(entry);
    await expectFaithful(database, room);
  });

  test('a long transcript is mended in pieces', async () => {
    for (let index = 0; index < 40; index += 1) {
      await storeMessage(database, room, `${index} ${'長い'.repeat(20_000)}`);
    }
    await chatLog.repair(room);
    await expectFaithful(database, room);
    await truncate(room.path, 2_500_000);
    await chatLog.repair(room);
    await expectFaithful(database, room);
    expect(await keptAside()).toEqual([]);
  });
});

describe('what somebody did', () => {
  test.each([0, 70, 130])('a file cut to %d bytes while it is in use is whole again', async (size) => {
    await say(4);
    await truncate(room.path, size);
    await say(1);
    await expectFaithful(database, room);
    expect(await keptAside()).toEqual([]);
  });

  test('a file or its folder that was removed is written again', async () => {
    await say(2);
    await rm(room.path);
    await say(1);
    await expectFaithful(database, room);
    await rm(join(room.workingDirectory, '.ai-pm'), { recursive: true });
    await say(1);
    await expectFaithful(database, room);
  });

  test.each(['at once', 'by a new process'])(
    'words of a stranger at the end are kept aside, noticed %s',
    async (when) => {
      await say(2);
      await appendFile(room.path, 'I was here\n');
      const altered = await readFile(room.path, 'utf8');
      if (when !== 'at once') await otherProcess();
      await say(1);
      await expectFaithful(database, room);
      expect(await keptAside()).toEqual([altered]);
      expect(await shownFault(database, room)).toMatch(
        new RegExp(`^altered: \\.ai-pm/agents/${room.agentId}/chat\\.jsonl\\.altered-\\d{8}T\\d{9}Z$`),
      );
    },
  );

  test('words of a stranger in the place of a lost line are kept aside', async () => {
    await say(2);
    await storeMessage(database, room, 'lost');
    await appendFile(room.path, 'short');
    await say(1);
    await expectFaithful(database, room);
    expect(await keptAside()).toHaveLength(1);
  });

  test('changed words in the middle are found by a repair, far from the end too', async () => {
    await say(3);
    for (let index = 0; index < 5; index += 1) await say(1, 'x'.repeat(30_000));
    const altered = (await readFile(room.path, 'utf8')).replace('said 1', 'lied 1');
    await writeFile(room.path, altered);
    await chatLog.repair(room);
    await expectFaithful(database, room);
    expect(await keptAside()).toEqual([altered]);
  });

  test('changed words near the end are found before a new process appends', async () => {
    await say(3);
    await writeFile(room.path, (await readFile(room.path, 'utf8')).replace('said 1', 'lied 1'));
    await otherProcess();
    await say(1);
    await expectFaithful(database, room);
    expect(await keptAside()).toHaveLength(1);
  });

  test('an editor that saved a changed copy under the name is noticed at once', async () => {
    await say(6, 'y'.repeat(30_000));
    const copy = `${room.path}~`;
    await copyFile(room.path, copy);
    await writeFile(copy, (await readFile(copy, 'utf8')).replace('"owner"', '"ownor"'));
    await rename(copy, room.path);
    await say(1);
    await expectFaithful(database, room);
    expect(await keptAside()).toHaveLength(1);
  });

  test('an editor that saved the same under the name does no harm', async () => {
    await say(2);
    await copyFile(room.path, `${room.path}~`);
    await rename(`${room.path}~`, room.path);
    await say(1);
    await expectFaithful(database, room);
    expect(await keptAside()).toEqual([]);
  });

  test('the fault of an altered file is shown for a minute, then the next line takes it back', async () => {
    await say(2);
    await appendFile(room.path, 'I was here\n');
    await say(2);
    expect(await shownFault(database, room)).toMatch(/^altered: /);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
    await say(1);
    expect(await shownFault(database, room)).toBeNull();
    await expectFaithful(database, room);
  });
});

test('a thread without a word needs no file, a project that is gone no repair', async () => {
  await chatLog.repair(room);
  expect(await readdir(room.workingDirectory)).toEqual([]);
  await chatLog.repair({ projectId: 'prj_unknown', agentId: room.agentId });
});

async function storedEnd(): Promise<{ size: number }> {
  const row = await database.db
    .selectFrom('chatThreads')
    .select('logBytes')
    .where('id', '=', room.threadId)
    .executeTakeFirstOrThrow();
  return { size: row.logBytes };
}
