import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nodeFileSystem } from '../../src/platform/files/file-system.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { openTranscripts } from '../../src/platform/transcript/transcript.ts';
import { LONG_TIMEOUT_MS } from '../../src/testing/timeouts.ts';
import {
  expectFaithful,
  makeFolder,
  makeRoom,
  shownFault,
  storeMessage,
  transcriptPath,
} from './transcript-support.ts';
import { useTranscripts } from './transcript-world.ts';

const world = useTranscripts();

test('a stored message is in the file when the call has returned', async () => {
  const { room } = world;
  for (const content of ['一つ目', 'two "quoted"\n', '三 🎌 \u2028 \u0007']) {
    await world.transcripts.noteStored(await storeMessage(world.database, room, content));
    await expectFaithful(world.database, room);
  }
  expect(await shownFault(world.database, room)).toBeNull();
});

test('the folder ignores itself, and nobody else may read a transcript', async () => {
  const { room } = world;
  await world.transcripts.noteStored(await storeMessage(world.database, room));
  expect(await readFile(join(room.workingDirectory, '.ai-pm', '.gitignore'), 'utf8')).toBe('*\n');
  expect((await stat(room.path)).mode & 0o777).toBe(0o600);
});

test('a burst of a thousand messages stands complete and in the order of commits', async () => {
  const { room } = world;
  await Promise.all(
    Array.from({ length: 1_000 }, async (_, index) =>
      world.transcripts.noteStored(await storeMessage(world.database, room, `message ${index}`)),
    ),
  );
  await expectFaithful(world.database, room);
});

test('lines noted in another order than stored still stand in their places', async () => {
  const { room } = world;
  const stored = [];
  for (let index = 0; index < 20; index += 1)
    stored.push(await storeMessage(world.database, room, `message ${index}`));
  await Promise.all(stored.reverse().map((entry) => world.transcripts.noteStored(entry)));
  await expectFaithful(world.database, room);
});

test('another working directory gets the whole file', async () => {
  const { room } = world;
  await world.transcripts.noteStored(await storeMessage(world.database, room, 'before'));
  const moved = { ...room, workingDirectory: await makeFolder() };
  await world.database.db
    .updateTable('projects')
    .set({ workingDirectory: moved.workingDirectory })
    .where('id', '=', room.projectId)
    .execute();
  await world.transcripts.noteStored(await storeMessage(world.database, moved, 'after'));
  await expectFaithful(world.database, room, transcriptPath(moved.workingDirectory, room.agentId));
});

test('more files than may be open at once are written all the same', async () => {
  const few = openTranscripts({
    database: world.database,
    logger: createLogger('test', { level: 'silent' }),
    maxOpenFiles: 2,
    timeoutMs: LONG_TIMEOUT_MS,
  });
  const rooms = await Promise.all(Array.from({ length: 6 }, () => makeRoom(world.database)));
  for (let round = 0; round < 3; round += 1) {
    await Promise.all(
      rooms.map(async (room) => few.noteStored(await storeMessage(world.database, room, `${round}`))),
    );
  }
  await few.close();
  for (const room of rooms) await expectFaithful(world.database, room);
});

test('a line in a file that is open costs one look and one write', async () => {
  const calls: string[] = [];
  const counting = new Proxy(nodeFileSystem, {
    get: (target, name, receiver) => {
      calls.push(String(name));
      return Reflect.get(target, name, receiver);
    },
  });
  await world.reopen(counting);
  await world.say('first');
  calls.length = 0;
  await world.say('second');
  expect(calls).toEqual(['lstat', 'write']);
});
