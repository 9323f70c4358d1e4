import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRunLog } from '@aizuchi/shared/core/runs/read-run-log';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { RunLog } from '../../packages/coordinator/src/log/run-log.ts';

let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'aizuchi-log-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

test('a reader that follows a log by bytes sees every line once, also while its beginning is dropped', async () => {
  const log = await RunLog.open(join(home, 'logs', 'runs', 'run_1.log'), 1_000);
  let seen = '';
  let from = 0;
  for (let line = 0; line < 500; line += 1) {
    await log.write(Buffer.from(`行 ${line}\n`));
    const part = await readRunLog(home, 'run_1', { from });
    expect(part?.start).toBe(from);
    seen += part?.text;
    from = part?.end ?? 0;
  }
  await log.close();
  expect(seen.trimEnd().split('\n')).toEqual(Array.from({ length: 500 }, (_, index) => `行 ${index}`));
});

test('a reader that was away too long is told where the remaining text begins', async () => {
  const log = await RunLog.open(join(home, 'logs', 'runs', 'run_1.log'), 1_000);
  for (let line = 0; line < 500; line += 1) await log.write(Buffer.from(`line ${line}\n`));
  await log.close();
  const part = await readRunLog(home, 'run_1', { from: 0 });
  const written = Array.from({ length: 500 }, (_, index) => `line ${index}\n`).join('');
  expect(part?.start).toBeGreaterThan(0);
  expect(part?.end).toBe(written.length);
  expect(part?.text).toBe(written.slice(part?.start));
});
