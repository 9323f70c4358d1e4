import { readFile } from 'node:fs/promises';
import { setImmediate as soon } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type FileSystem, nodeFileSystem } from '../../src/platform/files/file-system.ts';
import {
  addAgent,
  expectedTranscript,
  expectFaithful,
  makeRoom,
  storeMessage,
  until,
} from './transcript-support.ts';
import { useTranscripts } from './transcript-world.ts';

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

let slow: HangingFileSystem;
const world = useTranscripts(() => {
  slow = new HangingFileSystem();
  return slow.port;
});
beforeEach(() => world.say('first'));
afterEach(() => {
  slow.letGo();
  vi.useRealTimers();
});

/** Starts noting and tells whether it has returned. */
async function noting(content: string, inRoom = world.room): Promise<{ returned: boolean }> {
  const state = { returned: false };
  const entry = await storeMessage(world.database, inRoom, content);
  void world.transcripts.noteStored(entry).then(() => {
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
  await world.transcripts.repair(world.room);
  await expectFaithful(world.database, world.room);
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
  const expected = await expectedTranscript(world.database, world.room);
  await until(async () => (await readFile(world.room.path, 'utf8')) === expected);
});

test('a project whose folder hangs holds up its own files only', async () => {
  const neighbour = await makeRoom(world.database);
  slow.hangs = true;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  await noting('hangs');
  await until(() => slow.held.length === 1);
  slow.hangs = false;
  await world.transcripts.noteStored(await storeMessage(world.database, neighbour, 'goes through'));
  await expectFaithful(world.database, neighbour);
});

test('however many agents of a project write into a folder that hangs, one call hangs', async () => {
  const others = await Promise.all([1, 2, 3].map(() => addAgent(world.database, world.room)));
  for (const other of others)
    await world.transcripts.noteStored(await storeMessage(world.database, other, 'first'));
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
    await world.transcripts.repair(other);
    await expectFaithful(world.database, other);
  }
});

test('a burst is a few writes, not one a message', async () => {
  const entries = [];
  for (let index = 0; index < 500; index += 1)
    entries.push(await storeMessage(world.database, world.room, `message ${index}`));
  slow.written = 0;
  // However long it takes here: nobody leaves before it is written.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  await Promise.all(entries.map((entry) => world.transcripts.noteStored(entry)));
  expect(slow.written).toBeLessThan(10);
  await expectFaithful(world.database, world.room);
});

test('closing does not wait for a file system that hangs', async () => {
  slow.hangs = true;
  const note = noting('hangs');
  await until(() => slow.held.length === 1);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const closed = world.transcripts.close();
  await passedBy(1_000);
  await closed;
  await note;
});
