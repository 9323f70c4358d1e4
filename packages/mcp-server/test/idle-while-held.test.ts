import { createCore } from '@aizuchi/shared/core/core';
import { Listener } from '@aizuchi/shared/platform/change-log/listener';
import { createLogger } from '@aizuchi/shared/platform/logger';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createApp } from '../src/app.ts';
import { createContext } from '../src/context.ts';
import { McpWorld } from '../src/testing/mcp-world.ts';
import { testConfig } from '../src/testing/test-app.ts';

/* A held call that is not woken reads nothing, so the sweeper ends its session: here that of another process. */

let world: McpWorld;
const stops: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  world = await McpWorld.create();
});
afterAll(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
  await world.close();
});

function configOf({ services }: McpWorld) {
  const { root, database } = services;
  return testConfig({ databaseUrl: database.url, home: `${root}/home`, workspaceRoots: [root] });
}

/** It holds calls and hears hints; its sweeper is not started. */
async function startHolder() {
  const config = configOf(world);
  const logger = createLogger('mcp-server', { level: 'silent' });
  const context = createContext({ config, logger });
  const app = createApp(context);
  const { url } = await app.listen();
  const listener = new Listener({
    url: config.databaseUrl,
    logger,
    onKeys: (keys) => context.tools.onKeys(keys),
    // The slow poll makes it read, and a read finds an ended session too.
    pollIntervalMs: 3_600_000,
  });
  await listener.start();
  stops.push(
    () => context.stop(),
    () => listener.stop(),
    () => app.stop(),
  );
  return { tools: context.tools, mcpUrl: `${url}/mcp` };
}

/** As a rest-api: it sweeps, and holds no calls. */
async function startSweeping() {
  const config = configOf(world);
  const logger = createLogger('rest-api', { level: 'silent' });
  const core = createCore({ config: { ...config, loopback: true }, logger, applicationName: 'sweeping' });
  const listener = new Listener({ url: config.databaseUrl, logger, onKeys: (keys) => core.onKeys(keys) });
  await listener.start();
  core.sweeper.start();
  stops.push(
    () => core.close(),
    () => listener.stop(),
    () => core.sweeper.stop(),
  );
}

test('a session that only holds ends when it is idle, by the sweeper of another process', async () => {
  const { services } = world;
  const membership = await services.agentInProject();
  const { caller, ticket } = await services.warmAgent(membership);
  const holder = await startHolder();
  await startSweeping();
  const client = await world.connect(holder, ticket);
  const read = vi.spyOn(holder.tools.sessions, 'nextActions');
  const held = client.call('get_next_action', { hold_seconds: 25 });
  // A held call begins with a read, and that one would end an idle session itself.
  await expect.poll(() => read.mock.settledResults.at(-1)?.type, { interval: 5 }).toBe('fulfilled');

  await services.database.pool.query(
    `update agent_sessions set last_activity_at = clock_timestamp() - interval '601 s' where id = $1`,
    [caller.sessionId],
  );
  expect((await held).structured).toMatchObject({ action: 'logout', reason: 'session_timeout' });
});
