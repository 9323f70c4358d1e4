import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, on, once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { addedClaude, TESTED_CLAUDE } from '../../packages/coordinator/src/launch/claude/claude-release.ts';
import { claudePackage, SHA256 } from './claude-package.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

let folder: string;
let home: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aizuchi-add-'));
  home = join(folder, 'home');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** The command with another npm, and a cache that is empty. */
async function addWith(npm: string): Promise<ChildProcess> {
  const bin = join(folder, 'bin');
  await mkdir(bin);
  await writeFile(join(bin, 'npm'), `#!/bin/sh\n${npm}\n`);
  await chmod(join(bin, 'npm'), 0o755);
  return spawn(process.execPath, ['--conditions=source', 'scripts/commands/add-claude.ts'], {
    cwd: root,
    env: {
      PATH: `${bin}:/bin:/usr/bin`,
      AIZUCHI_HOME: home,
      XDG_CACHE_HOME: join(folder, 'cache'),
      HOME: folder,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

async function endOf(child: ChildProcess): Promise<{ code: number | null; said: string }> {
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const [code] = await once(child, 'close');
  return { code, said };
}

const left = () => readdir(dirname(addedClaude(home)));
/** The folder that npm installs into follows --prefix. */
const INTO = `into=$(echo "$@" | sed 's/.*--prefix \\([^ ]*\\).*/\\1/')/node_modules/${claudePackage().name}`;

test('a file that is not the expected one is refused, and nothing of it stays', async () => {
  const npm = `${INTO}\nmkdir -p "$into" && echo wrong > "$into/${claudePackage().file}"`;
  const { code, said } = await endOf(await addWith(npm));
  expect(code).toBe(1);
  expect(said).toMatch(/its hash differs/);
  expect(await left()).toEqual([]);
});

test('a registry that is not reached is said, with what to do', async () => {
  const { code, said } = await endOf(await addWith('echo "ENOTFOUND registry" >&2; exit 1'));
  expect(code).toBe(1);
  expect(said).toMatch(/ENOTFOUND registry[\s\S]*Is the npm registry reached/);
  expect(await left()).toEqual([]);
});

test('while it is fetched, it says how far it is', async () => {
  const child = await addWith('exec sleep 60');
  const ended = endOf(child);
  const lines = new EventEmitter();
  child.stderr?.on('data', (chunk: Buffer) => lines.emit('said', chunk.toString()));
  const says = async (line: string) => {
    for await (const [said] of on(lines, 'said')) if (String(said).includes(line)) return;
  };
  const { spec } = claudePackage();
  await says(`fetching ${spec}: 0 of 175 MB\n`);
  const [partial = ''] = await left();
  const cache = join(dirname(addedClaude(home)), partial, 'npm-cache', '_cacache');
  await mkdir(cache, { recursive: true });
  await writeFile(join(cache, 'piece'), '');
  await truncate(join(cache, 'piece'), 42_000_000);
  await says(`fetching ${spec}: 42 of 175 MB\n`);
  child.kill('SIGINT');
  await ended;
});

test('Ctrl-C while it is fetched leaves nothing behind', async () => {
  const child = await addWith(`echo started >&2; exec sleep 60`);
  const ended = endOf(child);
  const fetching = Promise.withResolvers<void>();
  child.stderr?.on('data', (chunk: Buffer) => {
    if (chunk.toString().includes('started')) fetching.resolve();
  });
  await fetching.promise;
  expect(await left()).toHaveLength(1);
  child.kill('SIGINT');
  expect((await ended).code).toBe(130);
  expect(await left()).toEqual([]);
});

test('what a killed fetch has left is removed by the next one', async () => {
  const partial = `${addedClaude(home)}.partial-999999999`;
  await mkdir(partial, { recursive: true });
  await endOf(await addWith('exit 1'));
  expect(await left()).toEqual([]);
});

const sdk = join(root, 'packages', 'agent-runner', 'node_modules', '@anthropic-ai', 'claude-agent-sdk');
const readJson = async (name: string): Promise<unknown> =>
  JSON.parse(await readFile(join(sdk, name), 'utf8'));

test('the release is that of the library that the runner uses, and so are the hashes', async () => {
  expect(await readJson('package.json')).toMatchObject({
    version: TESTED_CLAUDE.sdk,
    claudeCodeVersion: TESTED_CLAUDE.version,
  });
  const platforms = z.record(z.string(), z.object({ checksum: z.string() }));
  const manifest = z.object({ platforms }).parse(await readJson('manifest.json'));
  expect(SHA256).toEqual(
    Object.fromEntries(Object.entries(manifest.platforms).map(([name, { checksum }]) => [name, checksum])),
  );
});

test('the image for containers has the same release', async () => {
  expect(await readFile(join(root, 'Dockerfile'), 'utf8')).toContain(
    `ARG CLAUDE_CODE_VERSION=${TESTED_CLAUDE.version}\n`,
  );
});
