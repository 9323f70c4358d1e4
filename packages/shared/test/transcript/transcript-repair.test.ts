import { appendFile, copyFile, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { storeMessage } from './transcript-support.ts';
import { useTranscripts } from './transcript-world.ts';

const world = useTranscripts();
afterEach(() => void vi.useRealTimers());

async function say(count: number, content = 'said'): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    await world.transcripts.noteStored(await storeMessage(world.database, world.room, `${content} ${index}`));
  }
}

async function keptAside(): Promise<string[]> {
  const folder = dirname(world.room.path);
  const names = (await readdir(folder)).filter((name) => name.startsWith('chat.jsonl.altered-'));
  return Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
}

describe('what a crash leaves', () => {
  test('messages that were stored and never noted come with the next one', async () => {
    await say(2);
    for (let index = 0; index < 5; index += 1)
      await storeMessage(world.database, world.room, `lost ${index}`);
    await say(1);
    await world.expectFaithful();
  });

  test('they come with a repair, and with the repair of everything at the start', async () => {
    await say(2);
    await storeMessage(world.database, world.room, 'lost');
    await world.reopen();
    await world.transcripts.repair(world.room);
    await world.expectFaithful();

    await storeMessage(world.database, world.room, 'lost again');
    await world.reopen();
    await world.transcripts.repairAll();
    await world.expectFaithful();
  });

  test.each(['the next append', 'a repair'])('a torn line is mended by %s', async (way) => {
    await say(3);
    const { size } = await storedEnd();
    await truncate(world.room.path, size - 25);
    await world.reopen();
    if (way === 'a repair') await world.transcripts.repair(world.room);
    else await say(1);
    await world.expectFaithful();
    expect(await keptAside()).toEqual([]);
  });

  test('a line torn by a process that lives on is mended too', async () => {
    await say(2);
    const entry = await storeMessage(world.database, world.room, 'torn');
    await appendFile(world.room.path, entry.line.slice(0, 40));
    await say(1);
    await world.expectFaithful();
    expect(await keptAside()).toEqual([]);
  });

  test('a line that stands already is not written twice', async () => {
    await say(1);
    const entry = await storeMessage(world.database, world.room, 'once');
    await appendFile(world.room.path, entry.line);
    await world.transcripts.noteStored(entry);
    await world.transcripts.noteStored(entry);
    await world.expectFaithful();
  });

  test('a long transcript is mended in pieces', async () => {
    for (let index = 0; index < 40; index += 1) {
      await storeMessage(world.database, world.room, `${index} ${'長い'.repeat(20_000)}`);
    }
    await world.transcripts.repair(world.room);
    await world.expectFaithful();
    await truncate(world.room.path, 2_500_000);
    await world.transcripts.repair(world.room);
    await world.expectFaithful();
    expect(await keptAside()).toEqual([]);
  });
});

describe('what somebody did', () => {
  test.each([0, 70, 130])('a file cut to %d bytes while it is in use is whole again', async (size) => {
    await say(4);
    await truncate(world.room.path, size);
    await say(1);
    await world.expectFaithful();
    expect(await keptAside()).toEqual([]);
  });

  test('a file or its folder that was removed is written again', async () => {
    await say(2);
    await rm(world.room.path);
    await say(1);
    await world.expectFaithful();
    await rm(join(world.room.workingDirectory, '.ai-pm'), { recursive: true });
    await say(1);
    await world.expectFaithful();
  });

  test.each(['at once', 'by a new process'])(
    'words of a stranger at the end are kept aside, noticed %s',
    async (when) => {
      await say(2);
      await appendFile(world.room.path, 'I was here\n');
      const altered = await readFile(world.room.path, 'utf8');
      if (when !== 'at once') await world.reopen();
      await say(1);
      await world.expectFaithful();
      expect(await keptAside()).toEqual([altered]);
      expect(await world.shownFault()).toMatch(
        new RegExp(`^altered: \\.ai-pm/agents/${world.room.agentId}/chat\\.jsonl\\.altered-\\d{8}T\\d{9}Z$`),
      );
    },
  );

  test('words of a stranger in the place of a lost line are kept aside', async () => {
    await say(2);
    await storeMessage(world.database, world.room, 'lost');
    await appendFile(world.room.path, 'short');
    await say(1);
    await world.expectFaithful();
    expect(await keptAside()).toHaveLength(1);
  });

  test('changed words in the middle are found by a repair, far from the end too', async () => {
    await say(3);
    for (let index = 0; index < 5; index += 1) await say(1, 'x'.repeat(30_000));
    const altered = (await readFile(world.room.path, 'utf8')).replace('said 1', 'lied 1');
    await writeFile(world.room.path, altered);
    await world.transcripts.repair(world.room);
    await world.expectFaithful();
    expect(await keptAside()).toEqual([altered]);
  });

  test('changed words far from the end are found at the next start of a service', async () => {
    await say(3);
    for (let index = 0; index < 5; index += 1) await say(1, 'x'.repeat(30_000));
    const altered = (await readFile(world.room.path, 'utf8')).replace('said 1', 'lied 1');
    await writeFile(world.room.path, altered);
    await world.reopen();
    await world.transcripts.repairAll();
    await world.expectFaithful();
    expect(await keptAside()).toEqual([altered]);
    expect(await world.shownFault()).toMatch(/^altered: /);
  });

  test('changed words near the end are found before a new process appends', async () => {
    await say(3);
    await writeFile(world.room.path, (await readFile(world.room.path, 'utf8')).replace('said 1', 'lied 1'));
    await world.reopen();
    await say(1);
    await world.expectFaithful();
    expect(await keptAside()).toHaveLength(1);
  });

  test('an editor that saved a changed copy under the name is noticed at once', async () => {
    await say(6, 'y'.repeat(30_000));
    const copy = `${world.room.path}~`;
    await copyFile(world.room.path, copy);
    await writeFile(copy, (await readFile(copy, 'utf8')).replace('"owner"', '"ownor"'));
    await rename(copy, world.room.path);
    await say(1);
    await world.expectFaithful();
    expect(await keptAside()).toHaveLength(1);
  });

  test('an editor that saved the same under the name does no harm', async () => {
    await say(2);
    await copyFile(world.room.path, `${world.room.path}~`);
    await rename(`${world.room.path}~`, world.room.path);
    await say(1);
    await world.expectFaithful();
    expect(await keptAside()).toEqual([]);
  });

  test('the fault of an altered file is shown for a minute, then the next line takes it back', async () => {
    await say(2);
    await appendFile(world.room.path, 'I was here\n');
    await say(2);
    expect(await world.shownFault()).toMatch(/^altered: /);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
    await say(1);
    expect(await world.shownFault()).toBeNull();
    await world.expectFaithful();
  });
});

test('a thread without a word needs no file, a project that is gone no repair', async () => {
  await world.transcripts.repair(world.room);
  expect(await readdir(world.room.workingDirectory)).toEqual([]);
  await world.transcripts.repair({ projectId: 'prj_unknown', agentId: world.room.agentId });
});

async function storedEnd(): Promise<{ size: number }> {
  const row = await world.database.db
    .selectFrom('chatThreads')
    .select('logBytes')
    .where('id', '=', world.room.threadId)
    .executeTakeFirstOrThrow();
  return { size: row.logBytes };
}
