import { afterAll, beforeAll, expect, test } from 'vitest';
import { McpWorld, type RunningServer } from '../src/testing/mcp-world.ts';

let world: McpWorld;
let server: RunningServer;
beforeAll(async () => {
  world = await McpWorld.create();
  server = await world.startServer();
});
afterAll(() => world.close());

async function held(count: number): Promise<void> {
  await expect.poll(() => server.context.tools.heldCalls(), { interval: 2 }).toBe(count);
}

test('held calls are answered when the folder is free, without a call of the one that has worked', async () => {
  const { services } = world;
  const one = await services.agentInProject();
  const memberships = [one, await services.colleague(one), await services.colleague(one)];
  const agents = [];
  for (const membership of memberships) {
    await services.agents.update(services.owner, membership.agentId, { provider: 'claude' });
    const warm = await services.warmAgent(membership);
    agents.push({ ...warm, membership, client: await world.connect(server, warm.ticket, 'sdk 1.32') });
  }
  const [a, b, c] = agents;
  if (!a || !b || !c) throw new Error('no agents');
  const post = (to: typeof a) => services.chat.post(services.owner, { ...to.membership, content: 'edit it' });
  const next = (of: typeof a, seconds = 25) => of.client.call('get_next_action', { hold_seconds: seconds });

  await post(a);
  expect((await a.client.call('get_pending_messages')).structured).toMatchObject({
    source: { kind: 'chat' },
  });
  // The one is told before it asks, the other while its call is held.
  await post(b);
  const forB = next(b);
  const forC = next(c);
  await held(2);
  await post(c);
  expect((await b.client.call('get_pending_messages')).structured).toMatchObject({
    source: null,
    instruction: expect.stringContaining('別のエージェント'),
  });
  const waits = async (of: typeof a) => {
    const view = await services.presence.agentSessions(services.owner, of.membership.projectId);
    return view[of.membership.agentId]?.waitsForAgentId;
  };
  await expect.poll(() => Promise.all([waits(b), waits(c)])).toEqual(Array(2).fill(a.membership.agentId));
  await held(2);

  // The answer of this call names no one but its own membership.
  await services.delivery.respond(a.caller, { content: 'Done.' });
  expect((await forB).structured).toMatchObject({ action: 'get_pending_messages' });
  await b.client.call('get_pending_messages');
  await expect.poll(() => waits(c)).toBe(b.membership.agentId);
  await services.coordination.reportProcessExit({ runId: b.runId, exitCode: 137 });
  expect((await forC).structured).toMatchObject({ action: 'get_pending_messages' });
  expect((await next(b, 0)).structured).toMatchObject({ action: 'logout' });
});
