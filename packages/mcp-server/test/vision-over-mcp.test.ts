import { VisionService } from '@aizuchi/shared/core/vision/vision-service';
import type { LanguageModel } from '@aizuchi/shared/platform/models/model-ports';
import { LONG_TIMEOUT_MS } from '@aizuchi/shared/testing/timeouts';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { TestClient } from '../src/testing/clients.ts';
import { McpWorld, type RunningServer } from '../src/testing/mcp-world.ts';
import { sendCall } from '../src/testing/raw-client.ts';

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1];
const IMAGE = `data:image/png;base64,${Buffer.from(PNG).toString('base64')}`;

const model: LanguageModel = {
  warm: async () => undefined,
  complete: () => Promise.reject(new Error('not asked')),
  async *stream({ images }) {
    yield { type: 'text', text: `${images.length} cat` };
    yield { type: 'end', finish: 'done' };
  },
};

let world: McpWorld;
let server: RunningServer;
let blind: RunningServer;
let page: VisionService;
beforeAll(async () => {
  world = await McpWorld.create();
  server = await world.startServer({ hasModel: true });
  blind = await world.startServer();
  page = new VisionService({ ...world.services.deps, model });
});
afterAll(async () => {
  await page.close();
  await world.close();
});

/** A warm agent that works on a person's message, and its client. */
async function working(at = server) {
  const { services } = world;
  const membership = await services.agentInProject();
  const { ticket } = await services.warmAgent(membership);
  await services.chat.post(services.owner, { ...membership, content: 'What do you see?' });
  const client = await world.connect(at, ticket);
  await client.call('get_pending_messages');
  return { membership, ticket, client };
}

const see = async (client: TestClient, args: Record<string, unknown> = {}) =>
  (await client.call('request_vision', { source: 'the error on the screen', ...args })).structured;

/** The request that the page of the person is shown. */
const asked = (membership: { projectId: string; agentId: string }) =>
  vi.waitFor(
    async () => {
      const [request] = await page.open(world.services.owner, membership);
      if (!request) throw new Error('nothing is asked');
      return request;
    },
    { interval: 5, timeout: LONG_TIMEOUT_MS },
  );

const answer = (id: string, more: object = {}) =>
  page.respond(world.services.owner, {
    request_id: id,
    client_id: world.services.owner.id,
    images: [IMAGE],
    ...more,
  });

const expire = (id: string) =>
  world.services.database.db
    .updateTable('visionRequests')
    // Just over: what expired an hour ago is pruned by the sweepers of the servers.
    .set({ expiresAt: new Date(Date.now() - 1) })
    .where('id', '=', id)
    .execute();

describe('an agent that asks for an image', () => {
  test('is held until it is described, and gets the words', async () => {
    const { membership, client } = await working();
    const call = see(client);
    const request = await asked(membership);
    expect(request).toMatchObject({ source: 'the error on the screen', timeoutMs: 120_000 });
    await answer(request.id);
    expect(await call).toEqual({
      status: 'answered',
      request_id: request.id,
      description: '1 cat',
      event_id: expect.stringMatching(/^evt_/),
      receipt: `vision:${request.id}`,
      instruction: expect.any(String),
    });
    // What was told is used: the same request is asked anew.
    const again = see(client);
    const next = await asked(membership);
    expect(next.id).not.toBe(request.id);
    await answer(next.id, { images: [], error: 'I would rather not' });
    expect(await again).toMatchObject({ status: 'declined', reason: 'I would rather not' });
  });

  test('that asks again for the same has the same request, also behind its end', async () => {
    const { membership, client } = await working();
    const first = see(client);
    const request = await asked(membership);
    const second = see(client);
    await expect.poll(() => server.context.tools.heldCalls(), { interval: 5 }).toBe(2);
    await answer(request.id);
    const outcomes = await Promise.all([first, second]);
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ status: 'answered', request_id: request.id });
  });

  test('trap 21: has the end again until it has named the receipt, for a minute', async () => {
    const { membership, client } = await working();
    const first = see(client, { received: [] });
    const { id } = await asked(membership);
    await answer(id);
    expect(await first).toMatchObject({ request_id: id, description: '1 cat' });
    // The response was lost.
    expect(await see(client)).toMatchObject({
      request_id: id,
      description: '1 cat',
      receipt: `vision:${id}`,
    });
    const { db } = world.services.database;
    await db
      .updateTable('visionRequests')
      .set({ toldAt: new Date(0) })
      .where('id', '=', id)
      .execute();
    const later = see(client);
    const second = await asked(membership);
    expect(second.id).not.toBe(id);
    await answer(second.id);
    expect(await later).toMatchObject({ request_id: second.id });
    // Any call may name what has arrived, also one that anybody may make.
    await client.call('help', { received: [`vision:${second.id}`, `vision:${id}`] });
    const named = see(client);
    const third = await asked(membership);
    await answer(third.id);
    expect(await named).toMatchObject({ request_id: third.id });
    expect(third.id).not.toBe(second.id);
  });

  test('has an end that it was never offered, however long ago it came', async () => {
    const { membership, ticket, client } = await working();
    const args = { source: 'the error on the screen' };
    const call = sendCall(server.port, { bearer: ticket, tool: 'request_vision', args });
    const { id } = await asked(membership);
    call.close();
    await expect.poll(() => server.context.tools.heldCalls(), { interval: 5 }).toBe(0);
    await answer(id);
    const { db } = world.services.database;
    await db
      .updateTable('visionRequests')
      .set({ resolvedAt: new Date(0) })
      .where('id', '=', id)
      .execute();
    expect(await see(client)).toMatchObject({ request_id: id, description: '1 cat' });
  });

  test('has the first result under its idempotency_key', async () => {
    const { membership, client } = await working();
    const call = see(client, { idempotency_key: 'one' });
    const { id } = await asked(membership);
    await answer(id);
    expect(await call).toMatchObject({ request_id: id });
    expect(await see(client, { idempotency_key: 'one' })).toMatchObject({
      request_id: id,
      description: '1 cat',
    });
    const other = see(client, { idempotency_key: 'two' });
    const next = await asked(membership);
    await answer(next.id);
    expect(await other).toMatchObject({ request_id: next.id });
  });

  test('is told that nobody answered in time', async () => {
    const { membership, client } = await working();
    const call = see(client, { timeout_ms: 600_000 });
    const { id } = await asked(membership);
    await expire(id);
    server.context.tools.sights.wakeAll();
    expect(await call).toMatchObject({ status: 'timeout', request_id: id });
  });

  test('does not get what was deleted from its memory meanwhile', async () => {
    const { membership, client } = await working();
    const { db } = world.services.database;
    const call = see(client, { timeout_ms: 600_000 });
    const { id } = await asked(membership);
    await db
      .updateTable('visionRequests')
      .set({ state: 'described', eventId: 'evt_gone', resolvedAt: new Date() })
      .where('id', '=', id)
      .execute();
    server.context.tools.sights.wakeAll();
    expect(await call).toMatchObject({ status: 'cancelled' });
  });

  test('has no card any more when its session has ended, and the page hears why', async () => {
    const { membership, client } = await working();
    const call = see(client, { timeout_ms: 600_000 });
    const { id } = await asked(membership);
    await world.services.database.db
      .updateTable('agentSessions')
      .set({ state: 'ended', endedAt: new Date() })
      .where('agentId', '=', membership.agentId)
      .execute();
    expect(await page.open(world.services.owner, membership)).toEqual([]);
    expect((await page.ended([id])).map(({ data }) => data)).toEqual([
      { request_id: id, status: 'cancelled' },
    ]);
    await expect(answer(id)).rejects.toMatchObject({
      code: 'capture_request_not_found',
      details: { status: 'cancelled' },
    });
    server.context.tools.sights.wakeAll();
    expect(await call).toMatchObject({ status: 'cancelled' });
  });

  test('learns at once that no model could look at it', async () => {
    const { membership, client } = await working(blind);
    expect(await see(client)).toEqual({
      status: 'unavailable',
      instruction: expect.stringContaining('LLM_MODEL'),
    });
    expect(await page.open(world.services.owner, membership)).toEqual([]);
  });

  test('learns at once that nobody is there', async () => {
    const { services } = world;
    const membership = await services.agentInProject();
    const { ticket } = await services.warmAgent(membership);
    const client = await world.connect(server, ticket);
    await services.database.db
      .updateTable('agentSessions')
      .set({ openedBy: null })
      .where('agentId', '=', membership.agentId)
      .execute();
    expect(await see(client)).toMatchObject({ status: 'unavailable' });
    const listed = await client.listTools();
    expect(listed.map(({ name }) => name)).not.toContain('request_vision');
  });

  test.each([
    [{ source: '' }],
    [{ source: 'a\nb' }],
    [{ timeout_ms: 4_999 }],
    [{ timeout_ms: 600_001 }],
    [{ more: 1 }],
  ])('is refused %j', async (args) => {
    const { client } = await working();
    const refused = await client.call('request_vision', { source: 'the screen', ...args });
    expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining('invalid_input')]);
  });
});
