/** `curl --http2` and Java's client ask with every request for a protocol that is not spoken here. */
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Caller, RestWorld } from './rest-world.ts';

let world: RestWorld;
let owner: Caller;
beforeAll(async () => {
  world = await RestWorld.create();
  owner = await world.owner();
});
afterAll(() => world.close());

const H2C = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABkAAQAAP__' };

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly headers?: Record<string, string>;
  readonly agent?: Agent;
}

async function call({ method, path, body, headers = H2C, agent }: Call) {
  const call = request({
    host: '127.0.0.1',
    port: world.port,
    method,
    path,
    ...(agent && { agent }),
    headers: {
      ...headers,
      authorization: `Bearer ${owner.token}`,
      ...(body !== undefined && {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      }),
    },
  });
  // The second half is another packet.
  const half = Math.floor((body?.length ?? 0) / 2);
  if (body !== undefined) await new Promise((sent) => call.write(body.slice(0, half), sent));
  call.end(body?.slice(half));
  const [answer] = (await once(call, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, body: await text(answer) };
}

test.each(['h2c', 'TLS/1.0', 'h2c, websocket'])(
  'a request with "Upgrade: %s" is answered',
  async (upgrade) => {
    const headers = { connection: 'Upgrade', upgrade };
    expect((await call({ method: 'GET', path: '/api/auth/me', headers })).status).toBe(200);
    expect((await call({ method: 'DELETE', path: '/api/agents/nobody', headers })).status).toBe(404);
  },
);

test('its body is read, also one that comes later', async () => {
  const description = '長い'.repeat(5_000);
  const body = JSON.stringify({ name: 'Asked for h2c', description });
  const answer = await call({ method: 'POST', path: '/api/projects', body });
  expect(answer.status).toBe(201);
  expect(JSON.parse(answer.body)).toMatchObject({ description });
});

test('the connection serves further requests', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (const headers of [H2C, {}, H2C, {}])
    expect((await call({ method: 'GET', path: '/api/projects', headers, agent })).status).toBe(200);
  agent.destroy();
});
