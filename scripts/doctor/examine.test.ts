import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
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
