import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ResumeStore } from './resume-store.ts';

const KEY = { provider: 'claude', projectId: 'prj_1', agentId: 'agt_1' };
let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'aizuchi-resume-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

test('the newest token is found again, by the same agent with the same provider only', async () => {
  const store = new ResumeStore(home, KEY);
  expect(await store.read()).toBeUndefined();
  await store.write('first');
  await store.write('second');
  expect(await new ResumeStore(home, KEY).read()).toBe('second');
  for (const other of [{ provider: 'acp' }, { agentId: 'agt_2' }, { projectId: 'prj_2' }])
    expect(await new ResumeStore(home, { ...KEY, ...other }).read()).toBeUndefined();
  await store.forget();
  expect(await store.read()).toBeUndefined();
});

test('no other account reads it, and no partial file stays', async () => {
  await new ResumeStore(home, KEY).write('token');
  const folder = join(home, '.local/state/aizuchi/agent-sessions/prj_1');
  expect(await readdir(folder)).toEqual(['agt_1.claude']);
  expect((await stat(join(folder, 'agt_1.claude'))).mode & 0o777).toBe(0o600);
});

test('a home that cannot be written rejects; without a home nothing is stored', async () => {
  await writeFile(join(home, '.local'), 'a file');
  await expect(new ResumeStore(home, KEY).write('token')).rejects.toThrow();
  await new ResumeStore(undefined, KEY).write('token');
  expect(await new ResumeStore(undefined, KEY).read()).toBeUndefined();
});
