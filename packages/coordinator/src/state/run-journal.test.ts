import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, open, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@aizuchi/shared/platform/logger';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RunJournal } from './run-journal.ts';

let home: string;
let folder: string;
let journal: RunJournal;
const said: unknown[] = [];
const logger = createLogger('test', {
  level: 'info',
  destination: { write: (line: string) => void said.push(JSON.parse(line)) },
});

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'aizuchi-journal-'));
  folder = join(home, 'run', 'agent-runs');
  await mkdir(folder, { recursive: true });
  journal = new RunJournal(home, logger);
  said.length = 0;
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(home, { recursive: true, force: true });
});

const mark = { file: 'cgroup' as const, pattern: '/run_1$', cgroup: '/sys/fs/cgroup/run_1', isCertain: true };
const entry = { runId: 'run_1', bootId: 'boot', pid: 1, startTicks: 2, mark };
const lost = { runId: 'run_2', bootId: 'unknown' };

test('what was written can be read, and what was removed is not there', async () => {
  await journal.write(entry);
  expect(await journal.readAll()).toEqual([entry]);
  await journal.remove('run_1');
  expect(await journal.readAll()).toEqual([]);
});

test.each([
  ['empty, as a loss of power leaves it', ''],
  ['half', '{"runId":"run_2","boo'],
  ['zeroes', '\0\0\0\0'],
  ['no entry', '[1]'],
  ['of another run', '{"runId":"run_3","bootId":"b"}'],
])('a file that is %s is put aside and reported; its name still names the run', async (_what, text) => {
  await journal.write(entry);
  await writeFile(join(folder, 'run_2.json'), text);
  expect(await journal.readAll()).toEqual(expect.arrayContaining([entry, lost]));
  const aside = (await readdir(folder)).find((name) => name.includes('unreadable')) ?? '';
  expect(aside).toMatch(/^run_2\.json\.unreadable-\d{8}T\d{9}Z$/);
  expect(readFileSync(join(folder, aside), 'utf8')).toBe(text);
  expect(said).toEqual([expect.objectContaining({ level: 'error', file: 'run_2.json', aside })]);
  // Until its end is accepted the run has to be ended, also by later Coordinators.
  expect(await journal.readAll()).toEqual(expect.arrayContaining([entry, lost]));
  await journal.remove('run_2');
  expect(await journal.readAll()).toEqual([entry]);
});

test('a folder in the place of a file, or a partial write, does not prevent the start either', async () => {
  await mkdir(join(folder, 'run_2.json'));
  await writeFile(join(folder, 'run_3.json.partial'), '');
  expect(await journal.readAll()).toEqual([lost]);
  expect((await readdir(folder)).sort()).toEqual([
    'run_2.json',
    expect.stringMatching(/^run_2\.json\.unreadable-/),
  ]);
});

test('the content is on the disk before the name, and the name before the write returns', async () => {
  const handle = await open(home, 'r');
  const prototype: { sync(): Promise<void> } = Object.getPrototypeOf(handle);
  await handle.close();
  const seen: string[] = [];
  const file = join(folder, 'run_1.json');
  vi.spyOn(prototype, 'sync').mockImplementation(async () => {
    seen.push(existsSync(file) ? `named: ${readFileSync(file, 'utf8').length}` : 'not named');
    if (seen.length === 1) expect(JSON.parse(readFileSync(`${file}.partial`, 'utf8'))).toEqual(entry);
  });
  await journal.write(entry);
  expect(seen).toEqual(['not named', `named: ${JSON.stringify(entry).length}`]);
});
