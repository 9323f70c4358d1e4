import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { instanceIdOf } from './instance-id.ts';

test('a home keeps its id, another home has another id, and an unreadable id is made anew', async () => {
  const homes = await Promise.all([1, 2].map(() => mkdtemp(join(tmpdir(), 'aizuchi-instance-'))));
  const [one = '', two = ''] = homes;
  try {
    const first = await instanceIdOf(one);
    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    expect(await instanceIdOf(one)).toBe(first);
    expect(await instanceIdOf(two)).not.toBe(first);
    await writeFile(join(one, 'run', 'coordinator-instance'), '');
    const made = await instanceIdOf(one);
    expect(made).toMatch(/^[0-9a-f-]{36}$/);
    expect(await instanceIdOf(one)).toBe(made);
  } finally {
    for (const home of homes) await rm(home, { recursive: true, force: true });
  }
});
