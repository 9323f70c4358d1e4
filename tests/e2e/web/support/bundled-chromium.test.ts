import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { removeOtherVersions } from './bundled-chromium.ts';

test('a browser of another version goes; this one, one being unpacked and other caches stay', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'aizuchi-browsers-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const stays = ['chromium-153.0.0', 'chromium-153.0.0.4711', 'node'];
  for (const name of [...stays, 'chromium-152.0.1', 'chromium-153.0.00', 'chromium-152.0.1.12'])
    await mkdir(join(folder, name));
  await removeOtherVersions(folder, '153.0.0');
  expect((await readdir(folder)).toSorted()).toEqual(stays);
});
