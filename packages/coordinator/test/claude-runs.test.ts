import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { findRunAccounts, withHome } from '../src/launch/agent-account.ts';
import { bundleCoordinator, CoordinatorHost, RUN_1, TICKET } from './coordinator-host.ts';

const RUNNER = fileURLToPath(new URL('../../../tests/fixtures/agents/shows-its-launch.mjs', import.meta.url));
const CLAUDE = { provider: 'claude' as const, command: undefined, model: 'claude-x' };
const shownSchema = z.object({
  launch: z.record(z.string(), z.unknown()),
  env: z.record(z.string(), z.string()),
  uid: z.number(),
});

let folder: string;
let bin: string;
let main: string;
let host: CoordinatorHost;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aizuchi-coordinator-'));
  await chmod(folder, 0o755);
  main = await bundleCoordinator(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(async () => {
  host = await CoordinatorHost.create(main);
  bin = await mkdtemp(join(folder, 'bin-'));
  await chmod(bin, 0o755);
});
afterEach(() => host.close());

async function install(version: string): Promise<string> {
  const file = join(bin, 'claude');
  await writeFile(file, `#!/bin/sh\necho "${version} (Claude Code)"\n`);
  await chmod(file, 0o755);
  return file;
}

/** Without the directories of this machine, which may have one. */
const start = (env: Record<string, string> = {}) =>
  host.start({ PATH: `${bin}:/bin:/usr/bin`, AIZUCHI_RUNNER_BUNDLE: RUNNER, ...env });

test('a run of provider claude gets the program, the variables of Claude Code, and a home that it can write', async () => {
  const file = await install('2.2.0');
  const home = join(folder, 'user-home');
  await mkdir(home, { mode: 0o700 });
  await start({
    HOME: home,
    ANTHROPIC_API_KEY: 'sk-fake-1234567890',
    CLAUDE_CODE_USE_BEDROCK: '1',
    CLAUDE_OTHER: 'not ours',
  });
  host.give(RUN_1, '', [], CLAUDE);
  expect((await host.exited(RUN_1)).args).toMatchObject({ cause: 'finished', exit_code: 0 });
  const log = await host.log(RUN_1);
  const { launch, env, uid } = shownSchema.parse(JSON.parse(log.trim()));
  expect(launch).toMatchObject({
    provider: 'claude',
    runId: RUN_1,
    model: 'claude-x',
    command: { file, args: [] },
  });
  // The secrets are there, and unreadable in the log.
  expect(launch.ticket).toBe('[hidden]');
  expect(env.ANTHROPIC_API_KEY).toBe('[hidden]');
  expect(log).not.toContain(TICKET);
  expect(env).toMatchObject({ CLAUDE_CODE_USE_BEDROCK: '1' });
  expect(env).not.toHaveProperty('CLAUDE_OTHER');
  expect(env).not.toHaveProperty('LLM_API_KEY');
  const { agents } = await findRunAccounts(host.home);
  const account = agents && (await withHome(host.home, agents));
  expect([uid, env.HOME]).toEqual(account ? [account.uid, account.home] : [process.getuid?.(), home]);
});

test('the variables of Claude Code are not for other programs', async () => {
  await start({ ANTHROPIC_API_KEY: 'sk-fake-1234567890' });
  host.give(RUN_1, 'shows-what-it-got.mjs');
  await host.exited(RUN_1);
  expect(await host.log(RUN_1)).not.toContain('ANTHROPIC_API_KEY');
});

test.each([
  ['no Claude Code', undefined, /There is no Claude Code on this host\. .*npm run add-claude/],
  ['one that is too old', '2.0.1', /Claude Code 2\.0\.1 .* too old: 2\.1\.\d+ or newer .*claude update/],
  ['a broken one', 'broken', /cannot be executed.*Install it again/],
])('with %s the run could not start, and the sentence says what to do', async (_, version, sentence) => {
  if (version !== undefined) await install(version);
  await start();
  host.give(RUN_1, '', [], CLAUDE);
  expect((await host.exited(RUN_1)).args).toMatchObject({
    cause: 'could_not_start',
    error: expect.stringMatching(sentence),
  });
});
