import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@aizuchi/shared/platform/logger';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ClaudeFinder } from '../src/launch/claude/claude-finder.ts';
import { SpareRunners } from '../src/launch/spare-runners.ts';
import { RUN_ERRORS } from '../src/texts/run-errors.ts';

let folder: string;
let bundle: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aizuchi-spares-'));
  bundle = join(folder, 'runner.mjs');
  await writeFile(bundle, 'process.stdin.resume();');
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(folder, { recursive: true, force: true });
});

test('a spare that takes long to be made is not made twice', async () => {
  let made = 0;
  const mayBeMade = Promise.withResolvers<void>();
  const spares = new SpareRunners({
    count: 1,
    // As on a host without marks, and slow.
    marks: {
      kind: 'none',
      make: async () => {
        made += 1;
        await mayBeMade.promise;
        return undefined;
      },
      keep: () => undefined,
      release: async () => true,
      clean: async () => undefined,
    },
    plan: {
      config: {
        mcpUrl: 'http://127.0.0.1:9/mcp',
        allowedCommands: [],
        agentEnvNames: [],
        workspaceRoots: [],
      },
      runner: { node: process.execPath, bundle },
      accounts: { agents: undefined, runner: undefined },
      claude: new ClaudeFinder({ home: folder, account: undefined }),
      texts: RUN_ERRORS.en,
      env: { PATH: process.env.PATH },
    },
    logger: createLogger('test', { level: 'silent' }),
  });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  spares.start();
  await vi.advanceTimersByTimeAsync(1_000);
  await expect.poll(() => made).toBe(1);
  spares.start();
  await vi.advanceTimersByTimeAsync(1_000);
  // As much as it takes to begin another.
  for (let count = 0; count < 5; count += 1) await stat(bundle);
  vi.useRealTimers();
  mayBeMade.resolve();
  await expect.poll(() => spares.count).toBeGreaterThan(0);
  expect([made, spares.count]).toEqual([1, 1]);
  await spares.stop();
});
