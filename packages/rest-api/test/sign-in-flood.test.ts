import { once } from 'node:events';
import http from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Caller, RestWorld } from './rest-world.ts';

/** Four times the promised time of a right sign-in under load: the machine of the tests is busy with all of them. */
const PROMISED_MS = 4 * 5_000;
const PASSKEY = 'correct horse battery';

let world: RestWorld;
let person: Caller;
beforeAll(async () => {
  world = await RestWorld.create();
  person = await world.person('member', { passkey: PASSKEY });
});
afterAll(() => world.close());

type Body = { agentId: string; passkey: string };

async function login(body: Body, headers: Record<string, string> = {}, agent?: http.Agent) {
  const startedAt = performance.now();
  const request = http.request(`${world.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    ...(agent && { agent }),
  });
  request.end(JSON.stringify(body));
  const [response]: http.IncomingMessage[] = await once(request, 'response');
  response?.resume();
  const cookies = response?.headers['set-cookie'] ?? [];
  return { status: response?.statusCode, ms: performance.now() - startedAt, cookies };
}

const right = () => login({ agentId: person.id, passkey: PASSKEY });

/** Runs `work` while this many clients try to sign in again and again. */
async function underFlood(clients: number, bodyOf: (n: number) => Body, work: () => Promise<void>) {
  const sockets = new http.Agent({ keepAlive: true, maxSockets: clients });
  const begun = Promise.withResolvers<void>();
  const statuses: (number | undefined)[] = [];
  let isOver = false;
  let tries = 0;
  const all = Array.from({ length: clients }, async () => {
    while (!isOver) {
      tries += 1;
      const answer = await login(bodyOf(tries), {}, sockets).catch((error: unknown) => {
        if (!isOver) begun.reject(error);
      });
      if (!answer) return;
      statuses.push(answer.status);
      if (statuses.length === clients) begun.resolve();
    }
  });
  try {
    // Each client was answered once: from now on they are held.
    await begun.promise;
    await work();
  } finally {
    isOver = true;
    sockets.destroy();
    await Promise.all(all);
  }
  return new Set(statuses);
}

beforeEach(() => {
  // By then the failures of the previous test are forgotten.
  world.clock.advance(25 * 3_600_000);
});

async function rightInTime(): Promise<void> {
  const answer = await right();
  expect(answer.status).toBe(200);
  expect(answer.ms).toBeLessThan(PROMISED_MS);
}

test('trap 29: thirty clients with wrong passkeys lock nobody out, at the same address', async () => {
  const wrong = (n: number) => ({ agentId: person.id, passkey: `wrong passkey ${n}` });
  const statuses = await underFlood(30, wrong, async () => {
    await rightInTime();
    await rightInTime();
  });
  expect(statuses).toEqual(new Set([401]));
});

test('trap 28: made-up accounts do not prevent the page or a right sign-in', async () => {
  const clients = 200;
  const madeUp = (n: number) => ({ agentId: `nobody_${n}`, passkey: 'wrong passkey' });
  const statuses = await underFlood(clients, madeUp, async () => {
    const startedAt = performance.now();
    expect((await fetch(`${world.url}/`)).status).toBe(200);
    expect(performance.now() - startedAt).toBeLessThan(PROMISED_MS);
    await rightInTime();
  });
  expect(statuses).toEqual(new Set([401]));
  // Their cost is bounded: there is no row for each made-up name. It is a flood after some thirty failures, and each of
  // its clients may be at another one then.
  const { rows } = await world.context.database.pool.query(
    "select count(*)::int as count from sign_in_failures where account like 'nobody_%'",
  );
  expect(rows[0].count).toBeLessThanOrEqual(clients + 2 * 30);
});

test('a browser gets a device cookie at sign-in; a program does not', async () => {
  const body = { agentId: person.id, passkey: PASSKEY };
  const name = `aizuchi_device_${world.port}`;
  const deviceIn = (cookies: string[]) => cookies.find((cookie) => cookie.startsWith('aizuchi_device'));
  expect(deviceIn((await login(body)).cookies)).toBeUndefined();
  const browser = { origin: world.url };
  const device = deviceIn((await login(body, browser)).cookies) ?? '';
  expect(device).toMatch(
    new RegExp(`^${name}=[\\w.-]{87}; Max-Age=31536000; Path=/api/auth; HttpOnly; SameSite=Strict$`),
  );
  const cookie = device.split(';')[0] ?? '';
  const again = await login(body, { ...browser, cookie });
  expect(deviceIn(again.cookies)?.split(';')[0]).toBe(cookie);
  // The device cookie is no credential.
  const me = await world.call(undefined, 'GET', '/api/auth/me', undefined, { headers: { cookie } });
  expect(me.status).toBe(401);
});

test('a sign-in does not count for the rate limit of its address', async () => {
  const limited = await RestWorld.create({ config: { rateLimitPerMinute: 20 } });
  try {
    const { id } = await limited.person('member', { passkey: PASSKEY });
    for (let n = 0; n < 25; n += 1) await limited.call(undefined, 'GET', '/api/openapi.json');
    expect((await limited.call(undefined, 'GET', '/api/openapi.json')).status).toBe(429);
    const body = { agentId: id, passkey: PASSKEY };
    for (let n = 0; n < 25; n += 1)
      expect((await limited.call(undefined, 'POST', '/api/auth/login', body)).status).toBe(200);
    for (const page of ['/', '/login']) expect((await limited.call(undefined, 'GET', page)).status).toBe(200);
  } finally {
    await limited.close();
  }
});
