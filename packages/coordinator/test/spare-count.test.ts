import { mkdtemp, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@aizuchi/shared/platform/logger';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ClaudeFinder } from '../src/launch/claude/claude-finder.ts';
import { SpareRunners } from '../src/launch/spare-runners.ts';
import { RUN_ERRORS } from '../src/texts/run-errors.ts';
import { untilGone } from './coordinator-host.ts';

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

/** As on a host without marks. `make`: begins a spare. */
function keptSpares(make: () => Promise<void>): SpareRunners {
  return new SpareRunners({
    count: 1,
    marks: {
      kind: 'none',
      make: async () => {
        await make();
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
}

test('a spare that takes long to be made is not made twice', async () => {
  let made = 0;
  const mayBeMade = Promise.withResolvers<void>();
  const spares = keptSpares(() => {
    made += 1;
    return mayBeMade.promise;
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

test('after an update the old spare is replaced before anybody needs one', async () => {
  const pidFile = join(folder, 'pids');
  await writeFile(
    bundle,
    `import { appendFileSync } from 'node:fs'; appendFileSync('${pidFile}', process.pid + ' '); process.stdin.resume();`,
  );
  const pids = async () => (await readFile(pidFile, 'utf8').catch(() => '')).match(/\d+/g)?.map(Number) ?? [];
  let made = 0;
  const spares = keptSpares(async () => {
    made += 1;
  });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  spares.start();
  await vi.advanceTimersByTimeAsync(1_000);
  await expect.poll(pids).toEqual([expect.any(Number)]);
  const [old = 0] = await pids();

  await utimes(bundle, new Date(0), new Date(0));
  const madeLater = async () => {
    await vi.advanceTimersByTimeAsync(1_000);
    return made;
  };
  await expect.poll(madeLater).toBe(2);
  vi.useRealTimers();
  await untilGone(old);
  await expect.poll(pids).toEqual([old, expect.any(Number)]);
  expect([made, spares.count]).toEqual([2, 1]);
  await spares.stop();
});
