import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { McpWorld } from '../src/testing/mcp-world.ts';
import { openHeldCall } from '../src/testing/raw-client.ts';
import { COORDINATOR_TOKEN, INTERNAL_TOKEN } from '../src/testing/test-app.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

let world: McpWorld;
const children: ChildProcess[] = [];
beforeAll(async () => {
  world = await McpWorld.create();
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(() => world.close());

function run(overrides: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['--conditions=source', MAIN], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: {
      PATH: process.env.PATH,
      AIZUCHI_HOME: world.services.root,
      AIZUCHI_WORKSPACE_ROOTS: world.services.root,
      DATABASE_URL: world.services.database.url,
      MCP_PORT: '0',
      MCP_COORDINATOR_TOKEN: COORDINATOR_TOKEN,
      AIZUCHI_INTERNAL_TOKEN: INTERNAL_TOKEN,
      ...overrides,
    },
  });
  children.push(child);
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8');
  });
  return { child, stderr: () => stderr };
}

async function ready(child: ChildProcess): Promise<{ url: string }> {
  const [message] = await once(child, 'message');
  return message;
}

test('SIGTERM answers the held calls and ends the process with 0, in time', async () => {
  const { child, stderr } = run();
  const { url } = await ready(child);
  const membership = await world.services.agentInProject();
  const { ticket } = await world.services.warmAgent(membership);
  const call = await openHeldCall(Number(new URL(url).port), { bearer: ticket, holdSeconds: 25 });
  const metrics = async () => (await fetch(`${url}/metrics`)).text();
  await expect.poll(() => metrics()).toContain('aizuchi_mcp_held_calls 1');
  const begin = Date.now();
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  expect(code, stderr()).toBe(0);
  expect(Date.now() - begin).toBeLessThan(6_000);
  expect(call.received()).toContain('wait_for_messages');
  expect(stderr()).not.toContain(ticket);
  call.close();
});

test('a port in use and a missing variable end the process with the code of the contract and one sentence', async () => {
  const first = run();
  const { url } = await ready(first.child);
  const second = run({ MCP_PORT: new URL(url).port });
  expect((await once(second.child, 'exit'))[0]).toBe(3);
  expect(second.stderr()).toContain('already in use');
  const third = run({ MCP_COORDINATOR_TOKEN: '' });
  expect((await once(third.child, 'exit'))[0]).toBe(2);
  expect(third.stderr().trim().split('\n')).toEqual([expect.stringContaining('MCP_COORDINATOR_TOKEN')]);
});
