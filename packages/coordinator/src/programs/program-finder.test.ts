import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ClaudeFinder } from '../launch/claude/claude-finder.ts';
import { OLDEST_CLAUDE } from '../launch/claude/claude-release.ts';
import { ProgramFinder } from './program-finder.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aizuchi-programs-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

interface Host {
  readonly allowed?: string[];
  readonly names?: string[];
  readonly env?: Record<string, string>;
}

async function look({ allowed = ['*'], names = [], env = {} }: Host = {}) {
  const finder = new ProgramFinder({
    config: { mcpUrl: '', allowedCommands: allowed, agentEnvNames: names, workspaceRoots: [] },
    accounts: { agents: undefined, runner: undefined },
    claude: new ClaudeFinder({ home: join(folder, 'aizuchi'), account: undefined }),
    env: { PATH: `${join(folder, 'bin')}:/nonexistent`, HOME: join(folder, 'home'), ...env },
  });
  return Object.fromEntries((await finder.look()).map(({ id, ...program }) => [id, program]));
}
async function write(path: string, text: string): Promise<string> {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  await chmod(file, 0o755);
  return file;
}
/** As npm installs a program for everybody. */
async function install(name: string, version: string): Promise<void> {
  await write(`lib/${name}/package.json`, JSON.stringify({ name, version }));
  const script = await write(`lib/${name}/dist/bin/cli.js`, '#!/usr/bin/env node\n');
  await mkdir(join(folder, 'bin'), { recursive: true });
  await symlink(script, join(folder, 'bin', name));
}
/** A Claude Code that says this of its sign-in. */
const claude = (version: string, status: object) =>
  write(
    'bin/claude',
    `#!/bin/sh\n[ "$1" = auth ] && { echo '${JSON.stringify(status)}'; exit 1; }\necho "${version} (Claude Code)"\n`,
  );

test('a host without any of them', async () => {
  expect(await look()).toEqual({
    claude: { state: 'not_found' },
    gemini: { state: 'not_found' },
    codex: { state: 'not_found' },
    claude_acp: { state: 'not_found' },
  });
});

test('Claude Code says itself whether it is signed in; of an old one the version is known', async () => {
  const file = await claude(OLDEST_CLAUDE, { loggedIn: false });
  const found = { state: 'found', version: OLDEST_CLAUDE, signIn: `${file} auth login` };
  expect((await look()).claude).toEqual({ ...found, isSignedIn: false });
  await claude(OLDEST_CLAUDE, { loggedIn: true, authMethod: 'claude.ai' });
  expect((await look()).claude).toEqual({ ...found, isSignedIn: true });
  await claude(OLDEST_CLAUDE, { other: 'words' });
  expect((await look()).claude).toEqual(found);
  await claude('2.0.0', { loggedIn: true });
  expect((await look()).claude).toEqual({ state: 'too_old', version: '2.0.0', needs: OLDEST_CLAUDE });
});

test('of the others only certain signs of a sign-in count', async () => {
  await install('gemini', '0.61.0');
  const gemini = async (host?: Host) => (await look(host)).gemini;
  const found = { state: 'found', version: '0.61.0', signIn: 'gemini' };
  expect(await gemini(), 'never used').toEqual({ ...found, isSignedIn: false });
  const key = { env: { GEMINI_API_KEY: 'secret-value' } };
  expect(await gemini(key), 'runs are not given the key').toEqual({ ...found, isSignedIn: false });
  const passedOn = await gemini({ ...key, names: ['GEMINI_API_KEY'] });
  expect(passedOn).toEqual({ ...found, isSignedIn: true });
  expect(JSON.stringify(passedOn)).not.toContain('secret-value');
  await write('home/.gemini/settings.json', '{}');
  expect(await gemini(), 'used, but how it is signed in is not known').toEqual(found);
  await write('home/.gemini/oauth_creds.json', '{}');
  expect(await gemini()).toEqual({ ...found, isSignedIn: true });
});

test('what the host does not allow is said, and a program that is no package has no version', async () => {
  await write('bin/codex-acp', '#!/bin/sh\n');
  expect((await look({ allowed: ['claude'] })).codex).toEqual({ state: 'not_allowed' });
  expect((await look({ allowed: ['codex-acp'] })).codex).toMatchObject({ state: 'found', isSignedIn: false });
});
