import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findRunAccounts, withHome } from '../../packages/coordinator/src/launch/agent-account.ts';
import { examine } from './examine.ts';

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'aizuchi-doctor-'));
});
afterAll(() => rm(home, { recursive: true, force: true }));

const ports = { REST_PORT: '0', MCP_PORT: '0', COORDINATOR_PORT: '0', MEMORY_PORT: '0' };
async function bad(env: Record<string, string>): Promise<string[]> {
  const found = await examine({ PATH: process.env.PATH, AIZUCHI_HOME: join(home, 'new'), ...ports, ...env });
  return found.filter(({ kind }) => kind === 'bad').map(({ about, sentence }) => `${about}: ${sentence}`);
}

it('accepts a home that does not exist yet', async () => {
  expect(await bad({})).toEqual([]);
});

it('reports a port that is in use', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  expect(await bad({ MCP_PORT: String(port) })).toEqual([
    `mcp-server: Port ${port} of 127.0.0.1 is already in use: end what uses it, or set MCP_PORT for mcp-server.`,
  ]);
  await new Promise((resolve) => server.close(resolve));
});

it('reports a Docker engine that does not answer, and a mcp-server that no container reaches', async () => {
  const engine = 'unix:///nowhere/docker.sock';
  expect(await bad({ AIZUCHI_EXECUTOR: 'docker', AIZUCHI_DOCKER_HOST: engine })).toEqual([
    expect.stringMatching(/^containers: The Docker engine at .* does not answer \(ENOENT\)/),
    expect.stringMatching(/^containers: The mcp-server listens on loopback only/),
  ]);
});

it('reports a database that does not answer, without its password', async () => {
  const [sentence, ...more] = await bad({ DATABASE_URL: 'postgres://me:very-secret@127.0.0.1:1/aizuchi' });
  expect(more).toEqual([]);
  expect(sentence).toMatch(/^database: The database 127\.0\.0\.1:1\/aizuchi cannot be used: /);
  expect(sentence).not.toContain('very-secret');
});

it('reports a secret that other accounts can read', async () => {
  const secrets = join(home, 'secrets');
  await mkdir(secrets, { mode: 0o700 });
  await writeFile(join(secrets, 'coordinator-token'), 'x', { mode: 0o600 });
  expect(await bad({ AIZUCHI_HOME: home })).toEqual([]);
  await chmod(join(secrets, 'coordinator-token'), 0o644);
  expect(await bad({ AIZUCHI_HOME: home })).toEqual([
    `permissions: Others can read ${join(secrets, 'coordinator-token')}: chmod -R go= ${secrets}`,
  ]);
});

it('reports an invalid setting and stops there', async () => {
  expect(await bad({ REST_PORT: 'many' })).toEqual(['settings: REST_PORT must be a whole number.']);
});

it('reports a git that is missing as a remark: only worktrees need it', async () => {
  const gitOf = async (PATH: string) =>
    (await examine({ PATH, AIZUCHI_HOME: join(home, 'new'), ...ports })).filter(
      ({ about }) => about === 'git',
    );
  expect(await gitOf(process.env.PATH ?? '')).toMatchObject([{ kind: 'good' }]);
  const [missing] = await gitOf(home);
  expect(missing).toMatchObject({ kind: 'note', sentence: expect.stringContaining('Install git') });
});

it('reports how the processes of a run are marked here, and what agents can read', async () => {
  const found = await examine({ PATH: process.env.PATH, AIZUCHI_HOME: join(home, 'new'), ...ports });
  const of = (about: string) => found.filter((one) => one.about === about);
  expect(of('runs')).toEqual([
    { kind: expect.stringMatching(/good|note/), about: 'runs', sentence: expect.any(String) },
  ]);
  const reach = of('what agents read').map(({ sentence }) => sentence);
  if (process.getuid?.() === 0) {
    expect(of('accounts')[0]?.sentence).toMatch(
      /^As root: Postgres runs as \S+, agents as (\S+), .* as (?!\1)\S+\.$/,
    );
    expect(reach).toEqual([expect.stringContaining('passkeys')]);
  } else expect(reach).toEqual([expect.stringContaining(join(home, 'new', 'secrets'))]);
});

async function claudeLines(version: string | undefined, status: object = {}): Promise<string[]> {
  const bin = await mkdtemp(join(home, 'bin-'));
  await chmod(home, 0o755);
  await chmod(bin, 0o755);
  const script = `#!/bin/sh\n[ "$1" = auth ] && echo '${JSON.stringify(status)}' || echo "${version} (Claude Code)"\n`;
  if (version !== undefined) await writeFile(join(bin, 'claude'), script, { mode: 0o755 });
  const env = { PATH: `${bin}:/bin:/usr/bin`, HOME: home, AIZUCHI_HOME: home, ...ports };
  const found = await examine(env);
  return found.filter(({ about }) => about === 'claude').map(({ kind, sentence }) => `${kind}: ${sentence}`);
}

it('tells which Claude Code agents would use, and what to do about it', async () => {
  expect(await claudeLines(undefined)).toEqual([
    expect.stringMatching(/^note: There is no Claude Code.*add-claude/),
  ]);
  expect(await claudeLines('2.0.0')).toEqual([
    expect.stringMatching(/^note: .*2\.0\.0, older than 2\.1.*add-claude/),
  ]);
});

it('tells whether that Claude Code is signed in', async () => {
  // As root agents have an account of their own, whose home the first start makes.
  const { agents } = await findRunAccounts(home);
  if (agents) await withHome(home, agents);
  expect(await claudeLines('9.0.0', { loggedIn: true, authMethod: 'api_key' })).toEqual([
    expect.stringMatching(/^good: Claude Code 9\.0\.0 .* is signed in: api_key/),
  ]);
  expect(await claudeLines('9.0.0', { loggedIn: false })).toEqual([
    expect.stringMatching(/^note: .* is not signed in\. Run: .*auth login, or set ANTHROPIC_API_KEY/),
  ]);
  expect(await claudeLines('9.0.0', [])).toEqual([
    expect.stringMatching(/^note: .*can be seen after the first start/),
  ]);
});
