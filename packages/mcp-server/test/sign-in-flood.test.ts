import { newSecret } from '@aizuchi/shared/platform/ids';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { McpWorld, type RunningServer } from '../src/testing/mcp-world.ts';
import { callTool } from '../src/testing/raw-client.ts';
import { COORDINATOR_TOKEN } from '../src/testing/test-app.ts';

/** Four times the time that is promised to a right sign-in under any attack: the machine may be busy. */
const PROMISED_MS = 4 * 5_000;

let world: McpWorld;
let server: RunningServer;
beforeAll(async () => {
  world = await McpWorld.create();
  server = await world.startServer({ rateLimitPerMinute: 600 });
});
afterAll(() => world.close());

async function agent() {
  const { projectId, agentId } = await world.services.agentInProject();
  const { passkey } = await world.services.agents.setPasskey(world.services.owner, agentId, undefined);
  const authenticate = async (tried: string) => {
    const args = { agent_id: agentId, project_id: projectId, passkey: tried, replace: true };
    const { text } = await callTool(server.mcpUrl, 'authenticate', args);
    return JSON.parse(text);
  };
  return { agentId, authenticate, right: () => authenticate(passkey) };
}

test('thirty clients that try wrong passkeys delay the right one by some seconds, however many calls they make', async () => {
  const { authenticate, right, agentId } = await agent();
  let isOver = false;
  let refused = 0;
  const begun = Promise.withResolvers<void>();
  const attack = Array.from({ length: 30 }, async () => {
    while (!isOver) {
      const answer = await authenticate(newSecret());
      expect(answer).toMatchObject({ success: false, action: 'exit' });
      refused += 1;
      if (refused === 30) begun.resolve();
    }
  });
  try {
    await Promise.race([begun.promise, ...attack]);
    const startedAt = performance.now();
    expect(await right()).toMatchObject({ success: true });
    expect(performance.now() - startedAt).toBeLessThan(PROMISED_MS);
    // No other sign-in is held because of it: neither on the page nor by programs at REST.
    const { rows } = await world.services.database.pool.query(
      'select source from sign_in_failures where account = $1',
      [agentId],
    );
    for (const { source } of rows) expect(source).toMatch(/^mcp /);
  } finally {
    isOver = true;
    await Promise.all(attack);
  }
});

test('wrong bearers of an address are limited; sessions, tickets, sign-ins and the Coordinator from it are not', async () => {
  const { right } = await agent();
  const next = (bearer: string) => callTool(server.mcpUrl, 'get_next_action', { hold_seconds: 0 }, bearer);
  const codes = await Promise.all(
    Array.from({ length: 100 }, async (_, n) => {
      const tool = ['get_my_profile', 'health_check', 'authenticate'][n % 3] ?? '';
      const { error, success } = JSON.parse((await callTool(server.mcpUrl, tool, {}, newSecret())).text);
      return success === false ? 'unauthenticated' : error.code;
    }),
  );
  expect(new Set(codes)).toEqual(new Set(['unauthenticated', 'rate_limited']));
  // One more is accepted for each second that the machine needs for all of them.
  expect(codes.filter((code) => code === 'unauthenticated').length).toBeGreaterThanOrEqual(60);
  const { session_token: token } = await right();
  expect((await next(token)).isError).toBe(false);
  expect((await callTool(server.mcpUrl, 'health_check', {}, COORDINATOR_TOKEN)).isError).toBe(false);
  const wrong = async () => JSON.parse((await next('wrong')).text).error;
  let refused = await wrong();
  while (refused.code === 'unauthenticated') refused = await wrong();
  expect(refused).toMatchObject({
    code: 'rate_limited',
    details: { retry_after_seconds: expect.any(Number) },
  });
});

test('half a character is no passkey', async () => {
  const { authenticate } = await agent();
  expect(await authenticate('\ud800'.repeat(8))).toMatchObject({ success: false, action: 'exit' });
});
