import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { keys } from '../src/changes/keys.ts';
import { type Database, openDatabase } from '../src/db/database.ts';
import { newId } from '../src/ids.ts';
import { AuthService } from '../src/services/auth-service.ts';
import { createSignInCode } from '../src/services/first-start.ts';
import { ServiceWorld } from '../src/testing/service-world.ts';
import { ADDRESS, addPerson, outcomes } from './people-support.ts';

const PASSKEY = 'right passkey';
const MINUTE_MS = 60_000;
const refused = { code: 'unauthenticated' };

let world: ServiceWorld;
/** A second process: its own pool, its own caches. */
let otherDatabase: Database;
let slept: number[];
let auth: AuthService;
let otherAuth: AuthService;

beforeAll(async () => {
  world = await ServiceWorld.create();
  otherDatabase = openDatabase({ url: world.database.url, maxConnections: 4 });
});

afterAll(async () => {
  await otherDatabase.close();
  await world.close();
});

beforeEach(() => {
  slept = [];
  const sleep = async (ms: number) => void slept.push(ms);
  auth = new AuthService({ database: world.database, clock: world.clock, sleep });
  otherAuth = new AuthService({ database: otherDatabase, clock: world.clock, sleep });
});

async function somebody(): Promise<string> {
  const id = `person_${newId('agt').slice(4)}`;
  await addPerson(world, id, { passkey: PASSKEY });
  return id;
}

const tryWrong = (agentId: string, service = auth) =>
  service.login({ agentId, passkey: 'wrong passkey' }, ADDRESS).catch((error: unknown) => error);

describe('sign-in', () => {
  test('by passkey gives a bearer, its CSRF value, the person, and thirty days', async () => {
    const agentId = await somebody();
    const signedIn = await auth.login({ agentId, passkey: PASSKEY }, ADDRESS);
    expect(signedIn.agent).toMatchObject({ id: agentId, type: 'human', accessLevel: 'member' });
    const days =
      (new Date(signedIn.expiresAt).getTime() - world.clock.now().getTime()) / (24 * 60 * MINUTE_MS);
    expect(days).toBeCloseTo(30, 3);
    expect(await auth.identify(signedIn.token)).toEqual(signedIn.person);
    expect(await otherAuth.identify(signedIn.token, signedIn.csrf)).toEqual(signedIn.person);
  });

  test('every failure says the same', async () => {
    const agentId = await somebody();
    const { agentId: aiId } = await world.agentInProject();
    const { passkey } = await world.agents.setPasskey(world.owner, aiId, undefined);
    const without = `person_${newId('agt').slice(4)}`;
    await addPerson(world, without);
    const deleted = await somebody();
    await world.agents.remove(world.owner, deleted);
    const errors = await Promise.all(
      [
        { agentId, passkey: 'wrong passkey' },
        { agentId: 'nobody_here', passkey: PASSKEY },
        { agentId: '../etc', passkey: PASSKEY },
        { agentId: without, passkey: PASSKEY },
        { agentId: deleted, passkey: PASSKEY },
        { agentId: aiId, passkey },
        { code: 'wrong code' },
      ].map((body) => auth.login(body, ADDRESS).catch((error: unknown) => error)),
    );
    const [first] = errors;
    expect(first).toMatchObject(refused);
    for (const error of errors) expect(error).toEqual(first);
  });

  test('a code opens once, for fifteen minutes, of two at the same time one', async () => {
    const agentId = await somebody();
    const code = () => createSignInCode({ databaseUrl: world.database.url, agentId });
    const once = await code();
    expect(
      await outcomes([auth.login({ code: once }, ADDRESS), otherAuth.login({ code: once }, ADDRESS)]),
    ).toEqual(['ok', 'unauthenticated']);
    const late = await code();
    world.clock.advance(15 * MINUTE_MS + 1_000);
    await expect(auth.login({ code: late }, ADDRESS)).rejects.toMatchObject(refused);
  });

  test('trap 12: nothing that opens something is stored in plain text', async () => {
    const agentId = await somebody();
    const code = await createSignInCode({ databaseUrl: world.database.url, agentId });
    const { token, csrf, person } = await auth.login({ agentId, passkey: PASSKEY }, ADDRESS);
    const api = await auth.createToken(person, { name: 'script' });
    const { rows } = await world.database.pool.query<{ text: string }>(`
      select t::text as text from access_tokens t union all select c::text from sign_in_codes c
      union all select a::text from agent_credentials a union all select e::text from audit_entries e`);
    const stored = rows.map((row) => row.text).join('\n');
    for (const secret of [code, token, csrf, api.token, PASSKEY]) expect(stored).not.toContain(secret);
  });
});

describe('growing delay', () => {
  test('holds a right passkey too after three failures, of people and of agents at MCP, in all processes', async () => {
    const agentId = await somebody();
    await Promise.all([tryWrong(agentId), tryWrong(agentId, otherAuth), tryWrong(agentId)]);
    expect(slept).toEqual([]);
    expect((await otherAuth.login({ agentId, passkey: PASSKEY }, ADDRESS)).agent.id).toBe(agentId);
    expect(slept).toEqual([1_000]);
    await auth.login({ agentId, passkey: PASSKEY }, ADDRESS);
    expect(slept).toEqual([1_000]);
  });

  test('the same for agents at MCP', async () => {
    const { agentId } = await world.agentInProject();
    const { passkey } = await world.agents.setPasskey(world.owner, agentId, undefined);
    expect(await auth.verifyAgentPasskey(agentId, passkey, ADDRESS)).toBe(agentId);
    for (let attempt = 0; attempt < 3; attempt += 1)
      expect(await auth.verifyAgentPasskey(agentId, 'wrong', ADDRESS)).toBeUndefined();
    expect(await otherAuth.verifyAgentPasskey(agentId, passkey, ADDRESS)).toBe(agentId);
    expect(slept).toEqual([1_000]);
  });

  test('trap 9: a person’s passkey does not sign an agent in', async () => {
    expect(await auth.verifyAgentPasskey(await somebody(), PASSKEY, ADDRESS)).toBeUndefined();
  });
});

describe('who calls', () => {
  test('a cookie opens only with its own CSRF value', async () => {
    const [one, two] = [await somebody(), await somebody()];
    const mine = await auth.login({ agentId: one, passkey: PASSKEY }, ADDRESS);
    const theirs = await auth.login({ agentId: two, passkey: PASSKEY }, ADDRESS);
    const api = await auth.createToken(mine.person, { name: 'script' });
    for (const csrf of ['', 'wrong', theirs.csrf, mine.token])
      await expect(auth.identify(mine.token, csrf)).rejects.toMatchObject(refused);
    await expect(auth.identify(api.token, mine.csrf)).rejects.toMatchObject(refused);
    expect((await auth.identify(mine.token, mine.csrf)).id).toBe(one);
    expect((await auth.identify(api.token)).id).toBe(one);
  });

  test('an unknown, empty, expired or foreign token opens nothing', async () => {
    const { token, csrf } = await auth.login({ agentId: await somebody(), passkey: PASSKEY }, ADDRESS);
    for (const wrong of ['', 'x', csrf, `${token} `])
      await expect(auth.identify(wrong)).rejects.toMatchObject(refused);
    world.clock.advance(30 * 24 * 60 * MINUTE_MS);
    await expect(auth.identify(token)).rejects.toMatchObject(refused);
  });

  test('logout ends the token here at once, elsewhere with the key or after two seconds', async () => {
    const signIn = async () => auth.login({ agentId: await somebody(), passkey: PASSKEY }, ADDRESS);
    const [first, second] = [await signIn(), await signIn()];
    for (const { token } of [first, second])
      await Promise.all([auth.identify(token), otherAuth.identify(token)]);
    world.dirtyKeys.length = 0;
    await auth.logout(first.token);
    await auth.logout(first.token);
    await expect(auth.identify(first.token)).rejects.toMatchObject(refused);
    expect(world.dirtyKeys).toEqual([keys.caller(first.person.id)]);
    // The other process still remembers: that is what the key is for.
    await otherAuth.identify(first.token);
    otherAuth.onKeys([...world.dirtyKeys]);
    await expect(otherAuth.identify(first.token)).rejects.toMatchObject(refused);
    await auth.logout(second.token);
    world.clock.advance(2_001);
    await expect(otherAuth.identify(second.token)).rejects.toMatchObject(refused);
  });

  test('a new access level is known as soon as the key came', async () => {
    const { token, person } = await auth.login({ agentId: await somebody(), passkey: PASSKEY }, ADDRESS);
    expect((await auth.identify(token)).accessLevel).toBe('member');
    world.dirtyKeys.length = 0;
    await world.agents.update(world.owner, person.id, { accessLevel: 'viewer' });
    auth.onKeys(world.dirtyKeys);
    expect((await auth.identify(token)).accessLevel).toBe('viewer');
  });

  test('a deleted person’s tokens open nothing', async () => {
    const { token, person } = await auth.login({ agentId: await somebody(), passkey: PASSKEY }, ADDRESS);
    const api = await auth.createToken(person, { name: 'script' });
    await world.agents.remove(world.owner, person.id);
    await expect(auth.identify(token)).rejects.toMatchObject(refused);
    await expect(auth.identify(api.token)).rejects.toMatchObject(refused);
  });
});

describe('own passkey and tokens', () => {
  test('the passkey changes only with the current one; other logins end', async () => {
    const agentId = await somebody();
    const [here, there] = [
      await auth.login({ agentId, passkey: PASSKEY }, ADDRESS),
      await auth.login({ agentId, passkey: PASSKEY }, ADDRESS),
    ];
    await expect(auth.changePasskey(here.person, 'wrong passkey', 'new passkey')).rejects.toMatchObject(
      refused,
    );
    await auth.changePasskey(here.person, PASSKEY, 'new passkey', here.token);
    await expect(auth.login({ agentId, passkey: PASSKEY }, ADDRESS)).rejects.toMatchObject(refused);
    await auth.login({ agentId, passkey: 'new passkey' }, ADDRESS);
    expect((await auth.identify(here.token)).id).toBe(agentId);
    await expect(auth.identify(there.token)).rejects.toMatchObject(refused);
  });

  test('a stolen session cannot guess the passkey at speed', async () => {
    const { person } = await auth.login({ agentId: await somebody(), passkey: PASSKEY }, ADDRESS);
    for (let attempt = 0; attempt < 5; attempt += 1)
      await auth.changePasskey(person, 'wrong passkey', 'new passkey').catch(() => undefined);
    expect(slept).toEqual([1_000, 2_000]);
  });

  test('named tokens: shown once, listed without the token, page by page, ended one by one', async () => {
    const { person } = await auth.login({ agentId: await somebody(), passkey: PASSKEY }, ADDRESS);
    const made = [];
    for (const name of ['one', 'two', 'three'])
      made.push(await auth.createToken(person, { name, expiresInDays: 1 }));
    const first = await auth.listTokens(person, { limit: 2 });
    const second = await auth.listTokens(person, { limit: 2, cursor: first.nextCursor ?? '' });
    expect(new Set([...first.tokens, ...second.tokens].map((token) => token.name))).toEqual(
      new Set(['one', 'two', 'three']),
    );
    expect(second.nextCursor).toBeNull();
    expect(JSON.stringify(first)).not.toContain(made[0]?.token);
    const [one] = made;
    if (!one) throw new Error('no token was made');
    const stranger = await addPerson(world, `person_${newId('agt').slice(4)}`);
    await expect(auth.deleteToken(stranger, one.id)).rejects.toMatchObject({ code: 'token_not_found' });
    await auth.deleteToken(person, one.id);
    await expect(auth.identify(one.token)).rejects.toMatchObject(refused);
    await expect(auth.deleteToken(person, one.id)).rejects.toMatchObject({ code: 'token_not_found' });
    world.clock.advance(24 * 60 * MINUTE_MS + 1_000);
    expect((await auth.listTokens(person, { limit: 50 })).tokens).toEqual([]);
  });

  test('a cursor that we did not make is refused', async () => {
    for (const cursor of ['x', '1.', "1.a'b", `${'z'.repeat(11)}.tok_a`])
      await expect(auth.listTokens(world.owner, { limit: 2, cursor })).rejects.toMatchObject({
        code: 'invalid_input',
      });
  });
});
