import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { ServiceProcesses } from '@aizuchi/shared/testing/service-process';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { McpWorld } from '../src/testing/mcp-world.ts';
import { openHeldCall } from '../src/testing/raw-client.ts';
import { COORDINATOR_TOKEN, INTERNAL_TOKEN } from '../src/testing/test-app.ts';

const MAIN = fileURLToPath(new URL('../../../dist/mcp-server.js', import.meta.url));

/** Twice the promised time of the end, because the test machine may be busy; the call itself would be held for 25 s. */
const IN_TIME_MS = 2 * 6_000;

let world: McpWorld;
let services: ServiceProcesses;
beforeAll(async () => {
  world = await McpWorld.create();
  const { root, database } = world.services;
  services = new ServiceProcesses(MAIN, {
    AIZUCHI_HOME: root,
    AIZUCHI_WORKSPACE_ROOTS: root,
    DATABASE_URL: database.url,
    MCP_PORT: '0',
    MCP_COORDINATOR_TOKEN: COORDINATOR_TOKEN,
    AIZUCHI_INTERNAL_TOKEN: INTERNAL_TOKEN,
  });
});
afterEach(() => services.killAll());
afterAll(() => world.close());

test('SIGTERM answers the held calls and ends the process with 0, in time', async () => {
  const { child, stderr, ready } = services.run();
  const url = await ready();
  const membership = await world.services.agentInProject();
  const { ticket } = await world.services.warmAgent(membership);
  const call = await openHeldCall(Number(new URL(url).port), { bearer: ticket, holdSeconds: 25 });
  const metrics = async () => (await fetch(`${url}/metrics`)).text();
  await expect.poll(() => metrics()).toContain('aizuchi_mcp_held_calls 1');
  const begin = Date.now();
  child.kill('SIGTERM');
  const [code] = await once(child, 'close');
  expect(code, stderr()).toBe(0);
  expect(Date.now() - begin).toBeLessThan(IN_TIME_MS);
  await expect.poll(() => call.received()).toContain('wait_for_messages');
  expect(stderr()).not.toContain(ticket);
  call.close();
});

test('a port in use and a missing variable end the process with the code of the contract and one sentence', async () => {
  const first = services.run();
  const url = await first.ready();
  const second = services.run({ MCP_PORT: new URL(url).port });
  // At its exit what it wrote may not be read yet.
  expect((await once(second.child, 'close'))[0]).toBe(3);
  expect(second.stderr()).toContain('already in use');
  const third = services.run({ MCP_COORDINATOR_TOKEN: '' });
  expect((await once(third.child, 'close'))[0]).toBe(2);
  expect(third.stderr().trim().split('\n')).toEqual([expect.stringContaining('MCP_COORDINATOR_TOKEN')]);
});
