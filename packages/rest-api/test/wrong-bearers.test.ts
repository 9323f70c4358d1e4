import { newSecret } from '@aizuchi/shared/platform/ids';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type Caller, RestWorld } from './rest-world.ts';

let world: RestWorld;
let right: Caller;
beforeAll(async () => {
  world = await RestWorld.create({ config: { rateLimitPerMinute: 6_000 } });
  right = await world.person('member');
});
afterAll(() => world.close());

const me = (token: string) => world.call({ token }, 'GET', '/api/auth/me');

test('wrong bearers of an address are answered 429 after a limit; right ones from there, also new ones, never', async () => {
  const statuses: number[] = [];
  const startedAt = performance.now();
  for (let n = 0; n < 200; n += 1) {
    statuses.push((await me(newSecret())).status);
    if (n % 20 === 0) expect((await me(right.token)).status).toBe(200);
  }
  expect(statuses.slice(0, 60)).toEqual(Array.from({ length: 60 }, () => 401));
  // The limit allows one more with each second.
  const rest = statuses.slice(60);
  const seconds = Math.ceil((performance.now() - startedAt) / 1_000);
  expect(new Set(rest)).toContain(429);
  expect(rest.filter((status) => status !== 429).length).toBeLessThanOrEqual(seconds);
  let refused = await me('wrong');
  while (refused.status === 401) refused = await me('wrong');
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect(refused.body.error.code).toBe('rate_limited');
  // This process has not seen this token before.
  expect((await me((await world.person('member')).token)).status).toBe(200);
  // A page whose sign-in has ended must learn that.
  const cookie = `aizuchi_session_${world.port}=${newSecret()}`;
  const stale = await world.call(undefined, 'GET', '/api/auth/me', undefined, {
    headers: { cookie, 'x-aizuchi-csrf': newSecret() },
  });
  expect(stale.status).toBe(401);
  // None is allowed between the two.
  await world.clock.frozen(async () => {
    while ((await me('wrong')).status === 401);
    expect(await upgrade('wrong')).toBe(429);
  });
  expect(await upgrade(right.token)).toBe(101);
  // The limit expires after a while.
  world.clock.advance(120_000);
  expect((await me('wrong')).status).toBe(401);
});

/** The status of the answer to a WebSocket upgrade. */
function upgrade(token: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${world.port}/api/ws`, {
      headers: { authorization: `Bearer ${token}` },
    });
    socket.once('unexpected-response', (_request, response) => resolve(response.statusCode));
    socket.once('open', () => {
      socket.terminate();
      resolve(101);
    });
    socket.once('error', reject);
  });
}
