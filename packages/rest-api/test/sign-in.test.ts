import { WS_CLOSE } from '@aizuchi/shared/contract/ws';
import { newSecret } from '@aizuchi/shared/platform/ids';
import { hashToken } from '@aizuchi/shared/platform/token-hash';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Caller, RestWorld } from './rest-world.ts';
import { SocketClient } from './socket-client.ts';

const PASSKEY = 'correct horse battery';
let world: RestWorld;
let person: Caller;

beforeAll(async () => {
  world = await RestWorld.create();
  person = await world.person('member', { passkey: PASSKEY });
});
afterAll(() => world.close());

async function signIn() {
  const response = await world.call(undefined, 'POST', '/api/auth/login', {
    agentId: person.id,
    passkey: PASSKEY,
  });
  expect(response.status).toBe(200);
  const header = String(response.headers['set-cookie']);
  const [cookie = ''] = header.split(';');
  return { ...response.body, header, cookie };
}

const me = (headers: Record<string, string>) =>
  world.call(undefined, 'GET', '/api/auth/me', undefined, { headers });

test('a sign-in gives a bearer, and a cookie that only works together with its header', async () => {
  const { token, csrf, agent, header, cookie } = await signIn();
  expect(agent).toMatchObject({ id: person.id, type: 'human', accessLevel: 'member' });
  expect(header).toMatch(/; HttpOnly/);
  expect(header).toMatch(/; SameSite=Strict/);
  expect(header).not.toMatch(/Domain/i);
  expect((await me({ authorization: `Bearer ${token}` })).status).toBe(200);
  expect((await me({ cookie, 'x-aizuchi-csrf': csrf })).body.id).toBe(person.id);
  expect((await me({ cookie })).status).toBe(401);
  expect((await me({ cookie, 'x-aizuchi-csrf': '' })).status).toBe(401);
  expect((await me({ cookie, 'x-aizuchi-csrf': newSecret() })).status).toBe(401);
  expect((await me({ 'x-aizuchi-csrf': csrf })).status).toBe(401);
});

test('a server on another port of this host cannot use the cookie that it is sent', async () => {
  const { token, cookie } = await signIn();
  const value = cookie.slice(cookie.indexOf('=') + 1);
  expect(value).not.toBe(token);
  expect((await me({ authorization: `Bearer ${value}` })).status).toBe(401);
  const other = await signIn();
  expect((await me({ cookie, 'x-aizuchi-csrf': other.csrf })).status).toBe(401);
});

test('a wrong bearer is refused although the cookie is right', async () => {
  const { csrf, cookie } = await signIn();
  const headers = { cookie, 'x-aizuchi-csrf': csrf };
  expect((await me({ ...headers, authorization: 'Bearer wrong' })).status).toBe(401);
  expect((await me({ ...headers, authorization: 'Basic b3duZXI6eA==' })).status).toBe(401);
});

test('signing out ends token and cookie', async () => {
  const { token, csrf, cookie } = await signIn();
  const out = await world.call(undefined, 'POST', '/api/auth/logout', undefined, {
    headers: { cookie, 'x-aizuchi-csrf': csrf },
  });
  expect(out.status).toBe(204);
  expect(String(out.headers['set-cookie'])).toMatch(/=;.*Expires=Thu, 01 Jan 1970/);
  expect((await me({ authorization: `Bearer ${token}` })).status).toBe(401);
  expect((await me({ cookie, 'x-aizuchi-csrf': csrf })).status).toBe(401);
});

test('every failed sign-in has the same answer', async () => {
  const attempts = [
    { agentId: person.id, passkey: 'wrong passkey' },
    { agentId: 'nobody', passkey: 'wrong passkey' },
    { code: newSecret() },
  ];
  const answers = await Promise.all(
    attempts.map((body) => world.call(undefined, 'POST', '/api/auth/login', body)),
  );
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(answers[0]?.status).toBe(401);
});

test('the code of a sign-in link works once', async () => {
  const code = newSecret();
  const expiresAt = new Date(world.clock.now().getTime() + 60_000);
  await world.context.database.db
    .insertInto('signInCodes')
    .values({ codeHash: hashToken(code), agentId: person.id, expiresAt })
    .execute();
  expect((await world.call(undefined, 'POST', '/api/auth/login', { code })).status).toBe(200);
  expect((await world.call(undefined, 'POST', '/api/auth/login', { code })).status).toBe(401);
});

test('a token is shown once, works until it is deleted, and only its owner can delete it', async () => {
  const made = await world.call(person, 'POST', '/api/auth/tokens', { name: 'script' });
  expect(made.status).toBe(201);
  const listed = await world.call(person, 'GET', '/api/auth/tokens');
  expect(listed.body.tokens.map(({ id }: { id: string }) => id)).toContain(made.body.id);
  expect(listed.text).not.toContain(made.body.token);
  const stranger = await world.person('member');
  expect((await world.call(stranger, 'DELETE', `/api/auth/tokens/${made.body.id}`)).body.error.code).toBe(
    'token_not_found',
  );
  expect((await world.call(made.body, 'GET', '/api/auth/me')).status).toBe(200);
  expect((await world.call(person, 'DELETE', `/api/auth/tokens/${made.body.id}`)).status).toBe(204);
  expect((await world.call(made.body, 'GET', '/api/auth/me')).status).toBe(401);
});

test('a changed passkey keeps this sign-in and ends the others', async () => {
  const [here, there] = [await signIn(), await signIn()];
  const changed = await world.call(here, 'POST', '/api/auth/passkey', {
    current: PASSKEY,
    new: 'another good one',
  });
  expect(changed.status).toBe(204);
  expect((await world.call(here, 'GET', '/api/auth/me')).status).toBe(200);
  expect((await world.call(there, 'GET', '/api/auth/me')).status).toBe(401);
  await world.context.agents.setPasskey({ ...person, accessLevel: 'owner' }, person.id, { passkey: PASSKEY });
});

test('a lone surrogate is no valid passkey: all of them encode to the same bytes', async () => {
  const owner = await world.owner();
  const half = '\ud800'.repeat(8);
  const set = await world.call(owner, 'POST', `/api/agents/${person.id}/passkey`, { passkey: half });
  const changed = await world.call(person, 'POST', '/api/auth/passkey', { current: PASSKEY, new: half });
  const current = await world.call(person, 'POST', '/api/auth/passkey', { current: half, new: PASSKEY });
  const tried = await world.call(undefined, 'POST', '/api/auth/login', {
    agentId: person.id,
    passkey: '\udc00'.repeat(8),
  });
  for (const { status, body } of [set, changed, current, tried])
    expect([status, body.error.code]).toEqual([400, 'invalid_input']);
});

test('an owner who resets or removes a passkey ends tokens and open sockets of that person at once', async () => {
  const running = await RestWorld.create({ isRunning: true });
  try {
    const owner = await running.owner();
    for (const method of ['POST', 'DELETE'] as const) {
      const victim = await running.person('member', { passkey: PASSKEY });
      const authorization = `Bearer ${victim.token}`;
      const socket = await SocketClient.open(running.port, { authorization });
      expect((await running.call(victim, 'GET', '/api/auth/me')).status).toBe(200);
      const path = `/api/agents/${victim.id}/passkey`;
      expect((await running.call(owner, method, path)).status).toBe(method === 'POST' ? 200 : 204);
      expect((await running.call(victim, 'GET', '/api/auth/me')).status).toBe(401);
      expect(await socket.closed).toBe(WS_CLOSE.unauthenticated);
    }
  } finally {
    await running.close();
  }
});
