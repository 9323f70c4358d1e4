import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ResumeStore } from './resume-store.ts';

const SINCE = '2026-11-23T10:00:00.000Z';
const KEY = { provider: 'claude', projectId: 'prj_1', agentId: 'agt_1' };
let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'aizuchi-resume-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

test('the newest token is found again, by the same agent with the same provider only', async () => {
  const store = new ResumeStore(home, KEY);
  expect(await store.read(SINCE)).toBeUndefined();
  await store.write(SINCE, 'first');
  await store.write(SINCE, 'second');
  expect(await new ResumeStore(home, KEY).read(SINCE)).toBe('second');
  for (const other of [{ provider: 'acp' }, { agentId: 'agt_2' }, { projectId: 'prj_2' }])
    expect(await new ResumeStore(home, { ...KEY, ...other }).read(SINCE)).toBeUndefined();
});

test('the token of another context is not found, also when a session of that one writes it late', async () => {
  const fresh = '2026-11-23T11:00:00.000Z';
  const store = new ResumeStore(home, KEY);
  await store.write(SINCE, 'of a turn that still ends');
  expect(await new ResumeStore(home, KEY).read(fresh)).toBeUndefined();
  await store.write(fresh, 'of the next session');
  expect(await store.read(fresh)).toBe('of the next session');
  expect(await store.read(SINCE)).toBeUndefined();
});

test('what is no token of ours counts as none', async () => {
  const store = new ResumeStore(home, KEY);
  await store.write(SINCE, 'token');
  for (const text of ['', 'token', '{"token":1}']) {
    await writeFile(join(home, '.local/state/aizuchi/agent-sessions/prj_1/agt_1.claude'), text);
    expect(await store.read(SINCE)).toBeUndefined();
  }
});

test('no other account reads it, and no partial file stays', async () => {
  await new ResumeStore(home, KEY).write(SINCE, 'token');
  const folder = join(home, '.local/state/aizuchi/agent-sessions/prj_1');
  expect(await readdir(folder)).toEqual(['agt_1.claude']);
  expect((await stat(join(folder, 'agt_1.claude'))).mode & 0o777).toBe(0o600);
});

test('a home that cannot be written rejects; without a home nothing is stored', async () => {
  await writeFile(join(home, '.local'), 'a file');
  await expect(new ResumeStore(home, KEY).write(SINCE, 'token')).rejects.toThrow();
  await new ResumeStore(undefined, KEY).write(SINCE, 'token');
  expect(await new ResumeStore(undefined, KEY).read(SINCE)).toBeUndefined();
});
