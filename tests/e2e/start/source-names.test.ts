import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { throwAwayHome, until } from './product-process.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const dist = join(root, 'dist');
const logLine = z.looseObject({ msg: z.string(), err: z.object({ stack: z.string() }).optional() });

let home = '';
let clean = async (): Promise<void> => undefined;
let end = async (): Promise<unknown> => undefined;
beforeEach(async () => {
  ({ home, clean } = await throwAwayHome());
});
afterEach(async () => {
  await end();
  await clean();
});

/** A Coordinator whose server is not there; what it logs. */
async function lonelyCoordinator(): Promise<() => string> {
  // Nobody listens at 127.0.0.2, and while this is taken nobody can at all addresses.
  const taken = createServer();
  const port = await portOf(taken);
  const child = spawn(process.execPath, [join(dist, 'coordinator.js')], {
    env: {
      PATH: process.env.PATH,
      AIZUCHI_HOME: home,
      COORDINATOR_PORT: '0',
      AIZUCHI_MCP_URL: `http://127.0.0.2:${port}/mcp`,
      MCP_COORDINATOR_TOKEN: 'a-token-for-nobody-0123456789',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = new Promise((resolve) => child.once('close', resolve));
  end = () => {
    taken.close();
    child.kill('SIGTERM');
    return exited;
  };
  let text = '';
  child.stderr.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  return () => text;
}

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

test('the stack of a logged error names files and lines of the sources', async () => {
  const log = await lonelyCoordinator();
  // A whole line: what was read may end in the middle of one.
  await until(() => /the server does not answer.*\n/.test(log()));
  const lines = log()
    .slice(0, log().lastIndexOf('\n'))
    .split('\n')
    .map((line) => logLine.parse(JSON.parse(line)));
  const stack = lines.find(({ msg }) => msg.startsWith('the server does not answer'))?.err?.stack ?? '';
  const places = [...stack.matchAll(/AskActions\.(#?\w+) \((file:[^)]+\.ts):(\d+):(\d+)\)/g)];
  expect(places.length, stack).toBeGreaterThan(0);
  for (const [, method = '', url = '', line, column] of places) {
    const source = (await readFile(new URL(url), 'utf8')).split('\n');
    expect(source[Number(line) - 1]?.slice(Number(column) - 1), `${method} in ${stack}`).toMatch(
      /^(await|client|this|return)\b/,
    );
  }
});

test('the maps name nothing of the machine that built them', async () => {
  const maps = (await readdir(dist)).filter((name) => name.endsWith('.map'));
  expect(maps).toContain('rest-api.js.map');
  for (const name of maps) {
    const text = await readFile(join(dist, name), 'utf8');
    expect(text).not.toContain(root.replace(/\/$/, ''));
    const { sources, sourcesContent } = z
      .object({ sources: z.array(z.string()), sourcesContent: z.unknown().optional() })
      .parse(JSON.parse(text));
    expect(sources.filter((source) => !source.startsWith('../'))).toEqual([]);
    expect(sourcesContent).toBeUndefined();
  }
});
