import { constants } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  addedClaude,
  TESTED_CLAUDE,
} from '../../../packages/coordinator/src/launch/claude/claude-release.ts';
import { claudeBinary } from '../../../scripts/claude/claude-binary.ts';
import { claudePackage } from '../../../scripts/claude/claude-package.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aizuchi-add-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('Claude Code is added from the cache of the tests, once; older releases go, and doctor finds it', async () => {
  const { name, file } = claudePackage();
  const cached = join(folder, 'cache', 'aizuchi', `claude-code-${TESTED_CLAUDE.sdk}`, 'node_modules', name);
  await mkdir(cached, { recursive: true });
  await copyFile(await claudeBinary(), join(cached, file), constants.COPYFILE_FICLONE);
  const home = join(folder, 'home');
  const added = addedClaude(home);
  await mkdir(dirname(added), { recursive: true });
  await writeFile(join(dirname(added), 'claude-2.0.0'), '');
  const run = (script: string, env: Record<string, string> = {}) =>
    execa(process.execPath, ['--conditions=source', script], {
      cwd: root,
      env: {
        PATH: '/bin:/usr/bin',
        HOME: folder,
        AIZUCHI_HOME: home,
        XDG_CACHE_HOME: join(folder, 'cache'),
        ...env,
      },
      extendEnv: false,
      reject: false,
    });
  const first = await run('scripts/commands/add-claude.ts');
  expect([first.exitCode, first.stderr]).toEqual([0, expect.stringContaining(`is in ${added}`)]);
  expect(await readdir(dirname(added))).toEqual([`claude-${TESTED_CLAUDE.version}`]);
  expect((await run('scripts/commands/add-claude.ts')).stderr).toContain('is there already');
  const ports = { REST_PORT: '0', MCP_PORT: '0', COORDINATOR_PORT: '0', MEMORY_PORT: '0' };
  const { stdout } = await run('scripts/doctor/main.ts', ports);
  expect(stdout).toMatch(new RegExp(`claude +Claude Code ${TESTED_CLAUDE.version} \\(${added}\\)`));
});
