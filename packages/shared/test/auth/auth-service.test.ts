import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { AuthService } from '../../src/core/auth/auth-service.ts';
import { createSignInCode } from '../../src/core/first-start.ts';
import { keys } from '../../src/platform/change-log/keys.ts';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { newId, newSecret } from '../../src/platform/ids.ts';
import { hashToken } from '../../src/platform/token-hash.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';
import { SIGN_IN_KEYS } from '../../src/testing/sign-in-keys.ts';
import { LONG_TIMEOUT_MS } from '../../src/testing/timeouts.ts';
import { ADDRESS, addPerson, ORIGIN, outcomes } from './people-support.ts';

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
  otherDatabase = openDatabase({
    clock: world.clock,
    url: world.database.url,
    maxConnections: 4,
    transactionTimeoutMs: LONG_TIMEOUT_MS,
  });
});

afterAll(async () => {
  await otherDatabase.close();
  await world.close();
});

beforeEach(() => {
  slept = [];
  const sleep = async (ms: number) => void slept.push(ms);
  const deps = { clock: world.clock, ...SIGN_IN_KEYS, sleep, refusalMs: 0 };
  auth = new AuthService({ database: world.database, ...deps });
  otherAuth = new AuthService({ database: otherDatabase, ...deps });
});

async function somebody(): Promise<string> {
  const id = `person_${newId('agt').slice(4)}`;
  await addPerson(world, id, { passkey: PASSKEY });
  return id;
}

/** By the clock of this world. */
async function codeFor(agentId: string): Promise<string> {
  const code = newSecret();
  const expiresAt = new Date(world.clock.now().getTime() + MINUTE_MS);
  await world.database.db
    .insertInto('signInCodes')
    .values({ codeHash: hashToken(code), agentId, expiresAt })
    .execute();
  return code;
}

const tryWrong = (agentId: string, service = auth) =>
  service.login({ agentId, passkey: 'wrong passkey' }, ORIGIN).catch((error: unknown) => error);

describe('sign-in', () => {
  test('by passkey gives a bearer, its CSRF value, the person, and thirty days', async () => {
    const agentId = await somebody();
    const signedIn = await auth.login({ agentId, passkey: PASSKEY }, ORIGIN);
    expect(signedIn.agent).toMatchObject({ id: agentId, type: 'human', accessLevel: 'member' });
    const days =
      (new Date(signedIn.expiresAt).getTime() - world.clock.now().getTime()) / (24 * 60 * MINUTE_MS);
    expect(days).toBeCloseTo(30, 3);
    expect(await auth.identify(signedIn.token)).toEqual(signedIn.person);
    expect(await otherAuth.identify(signedIn.token, signedIn.csrf)).toEqual(signedIn.person);
  });

  test('by an invitation once, within a day; only the first passkey needs none before it', async () => {
    const { id } = await world.agents.create(world.owner, {
      type: 'human',
      name: newId('agt'),
      accessLevel: 'member',
    });
    const { code, expiresAt } = await world.agents.invite(world.owner, id);
    const { person } = await auth.login({ code }, ORIGIN);
    expect(person.id).toBe(id);
    await expect(auth.login({ code }, ORIGIN)).rejects.toMatchObject({ code: 'unauthenticated' });
    await auth.changePasskey(person, undefined, PASSKEY);
    await expect(auth.changePasskey(person, undefined, 'another passkey')).rejects.toMatchObject({
      code: 'unauthenticated',
    });
    await auth.login({ agentId: id, passkey: PASSKEY }, ORIGIN);
    expect(Date.parse(expiresAt) - world.clock.now().getTime()).toBeGreaterThan(23 * 60 * MINUTE_MS);
    const unused = await world.agents.invite(world.owner, id);
    await world.agents.setPasskey(world.owner, id, { passkey: 'given by an owner' });
    await expect(auth.login({ code: unused.code }, ORIGIN)).rejects.toMatchObject({
      code: 'unauthenticated',
    });
    const { agentId } = await world.agentInProject();
    await expect(world.agents.invite(world.owner, agentId)).rejects.toMatchObject({
      code: 'agent_not_found',
    });
  });

  test('an invitation is worth nothing when who made it is no owner any more, or a passkey was chosen since', async () => {
    const invited = await somebody();
    const inviters = ['demoted', 'deleted', 'replaced'].map((id) => `${id}_${newId('agt').slice(4)}`);
    const codes: string[] = [];
    for (const id of inviters) {
      const inviter = await addPerson(world, id, { accessLevel: 'owner' });
      codes.push((await world.agents.invite(inviter, invited)).code);
    }
    const [demoted = '', deleted = '', replaced = ''] = inviters;
    await world.agents.update(world.owner, demoted, { accessLevel: 'member' });
    await world.agents.remove(world.owner, deleted);
    // Somebody else may have used the sign-in of this owner.
    await world.agents.setPasskey(world.owner, replaced, undefined);
    expect(await outcomes(codes.map((code) => auth.login({ code }, ORIGIN)))).toEqual(
      codes.map(() => 'unauthenticated'),
    );
    const [first, second] = [
      await world.agents.invite(world.owner, invited),
      await world.agents.invite(world.owner, invited),
    ];
    const { person } = await auth.login({ code: first.code }, ORIGIN);
    await auth.changePasskey(person, PASSKEY, 'a passkey of my own');
    await expect(auth.login({ code: second.code }, ORIGIN)).rejects.toMatchObject(refused);
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
      ].map((body) => auth.login(body, ORIGIN).catch((error: unknown) => error)),
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
      await outcomes([auth.login({ code: once }, ORIGIN), otherAuth.login({ code: once }, ORIGIN)]),
    ).toEqual(['ok', 'unauthenticated']);
    const late = await code();
    world.clock.advance(15 * MINUTE_MS + 1_000);
    await expect(auth.login({ code: late }, ORIGIN)).rejects.toMatchObject(refused);
  });

  test('trap 12: nothing that opens something is stored in plain text', async () => {
    const agentId = await somebody();
    const code = await createSignInCode({ databaseUrl: world.database.url, agentId });
    const { token, csrf, person } = await auth.login({ agentId, passkey: PASSKEY }, ORIGIN);
    const api = await auth.createToken(person, { name: 'script' });
    const { rows } = await world.database.pool.query<{ text: string }>(`
      select t::text as text from access_tokens t union all select c::text from sign_in_codes c
      union all select a::text from agent_credentials a union all select e::text from audit_entries e`);
    const stored = rows.map((row) => row.text).join('\n');
    for (const secret of [code, token, csrf, api.token, PASSKEY]) expect(stored).not.toContain(secret);
  });
});

describe('holding', () => {
  test('holds a right passkey too after three failures, in all processes', async () => {
    const agentId = await somebody();
    await Promise.all([tryWrong(agentId), tryWrong(agentId, otherAuth), tryWrong(agentId)]);
    expect(slept).toEqual([]);
    expect((await otherAuth.login({ agentId, passkey: PASSKEY }, ORIGIN)).agent.id).toBe(agentId);
    expect(slept).toEqual([1_000]);
    await auth.login({ agentId, passkey: PASSKEY }, ORIGIN);
    expect(slept).toEqual([1_000]);
  });

  test('a stranger is held three seconds at most, however often others have failed', async () => {
    const agentId = await somebody();
    for (let attempt = 0; attempt < 12; attempt += 1) await tryWrong(agentId);
    slept.length = 0;
    await auth.login({ agentId, passkey: PASSKEY }, ORIGIN);
    expect(slept).toEqual([3_000]);
  });

  test('page, REST and MCP are counted apart, and so are addresses', async () => {
    const agentId = await somebody();
    for (let attempt = 0; attempt < 6; attempt += 1) await tryWrong(agentId);
    for (let attempt = 0; attempt < 6; attempt += 1)
      await auth.verifyAgentPasskey(agentId, 'wrong', { address: '192.0.2.1' });
    slept.length = 0;
    await auth.login({ agentId, passkey: PASSKEY }, { ...ORIGIN, surface: 'page' });
    await auth.login({ agentId, passkey: PASSKEY }, { ...ORIGIN, address: '192.0.2.1' });
    expect(slept).toEqual([]);
    await auth.login({ agentId, passkey: PASSKEY }, ORIGIN);
    expect(slept).toEqual([3_000]);
  });

  test('the same for agents at MCP', async () => {
    const { agentId } = await world.agentInProject();
    const { passkey } = await world.agents.setPasskey(world.owner, agentId, undefined);
    const from = { address: ADDRESS };
    expect(await auth.verifyAgentPasskey(agentId, passkey, from)).toBe(agentId);
    for (let attempt = 0; attempt < 3; attempt += 1)
      expect(await auth.verifyAgentPasskey(agentId, 'wrong', from)).toBeUndefined();
    expect(await otherAuth.verifyAgentPasskey(agentId, passkey, from)).toBe(agentId);
    expect(slept).toEqual([1_000]);
  });

  test('an address that tries one account after the other is held for all, and leaves no more rows', async () => {
    const from = { ...ORIGIN, address: '192.0.2.77' };
    const tries = 60;
    // With each two seconds one more is allowed.
    await world.clock.frozen(async () => {
      for (let n = 0; n < tries; n += 1)
        await expect(auth.login({ agentId: `nobody_${n}`, passkey: PASSKEY }, from)).rejects.toMatchObject(
          refused,
        );
    });
    expect(slept).toEqual(Array.from({ length: tries - 31 }, () => 3_000));
    const { rowCount } = await world.database.pool.query(
      "select from sign_in_failures where source = 'rest 192.0.2.77'",
    );
    expect(rowCount).toBe(31);
    slept.length = 0;
    const agentId = await somebody();
    expect((await auth.login({ agentId, passkey: PASSKEY }, from)).agent.id).toBe(agentId);
    const code = await codeFor(agentId);
    expect((await auth.login({ code }, from)).agent.id).toBe(agentId);
    expect(slept).toEqual([3_000, 3_000]);
    // It passes by itself.
    world.clock.advance(2 * MINUTE_MS);
    await auth.login({ agentId, passkey: PASSKEY }, from);
    expect(slept).toEqual([3_000, 3_000]);
  });

  test('trap 9: a person’s passkey does not sign an agent in', async () => {
    expect(await auth.verifyAgentPasskey(await somebody(), PASSKEY, { address: ADDRESS })).toBeUndefined();
  });
});

describe('a browser that has signed in before', () => {
  const page = { ...ORIGIN, surface: 'page' } as const;

  async function known() {
    const agentId = await somebody();
    const { device } = await auth.login({ agentId, passkey: PASSKEY }, page);
    return { agentId, device, signIn: () => auth.login({ agentId, passkey: PASSKEY }, { ...page, device }) };
  }
  const tryHere = (agentId: string, device: string | undefined) =>
    auth.login({ agentId, passkey: 'wrong passkey' }, { ...page, device }).catch(() => undefined);

  test('does not wait behind strangers, in any process; only for its own failures, up to 30 s', async () => {
    const { agentId, device, signIn } = await known();
    for (let n = 0; n < 8; n += 1)
      await auth.login({ agentId, passkey: 'wrong' }, page).catch(() => undefined);
    slept.length = 0;
    await signIn();
    await otherAuth.login({ agentId, passkey: PASSKEY }, { ...page, device });
    expect(slept).toEqual([]);
    for (let n = 0; n < 9; n += 1) await tryHere(agentId, device);
    expect(slept).toEqual([1, 2, 4, 8, 16, 30].map((seconds) => seconds * 1_000));
    slept.length = 0;
    await signIn();
    expect(slept).toEqual([30_000]);
  });

  test('is a stranger after ten failures, so that a stolen cookie is worth ten tries', async () => {
    const { agentId, device, signIn } = await known();
    for (let n = 0; n < 10; n += 1) await tryHere(agentId, device);
    slept.length = 0;
    await signIn();
    expect(slept).toEqual([]);
    for (let n = 0; n < 5; n += 1) await tryHere(agentId, device);
    await signIn();
    expect(slept).toEqual([1_000, 2_000, 3_000]);
  });

  test('what it keeps is worth nothing for another account, nor after the passkey was changed, reset or taken away', async () => {
    const [mine, theirs] = [await known(), await known()];
    const isKnown = async (agentId: string, passkey: string, device: string | undefined) => {
      for (let n = 0; n < 3; n += 1)
        await auth.login({ agentId, passkey: 'wrong' }, page).catch(() => undefined);
      slept.length = 0;
      await auth.login({ agentId, passkey }, { ...page, device });
      return slept.length === 0;
    };
    expect(await isKnown(theirs.agentId, PASSKEY, theirs.device)).toBe(true);
    expect(await isKnown(theirs.agentId, PASSKEY, mine.device)).toBe(false);
    await world.agents.setPasskey(world.owner, mine.agentId, { passkey: 'second passkey' });
    expect(await isKnown(mine.agentId, 'second passkey', mine.device)).toBe(false);
    const { person, device } = await auth.login({ agentId: mine.agentId, passkey: 'second passkey' }, page);
    const changed = await auth.changePasskey(person, 'second passkey', 'third passkey');
    expect(await isKnown(mine.agentId, 'third passkey', device)).toBe(false);
    expect(await isKnown(mine.agentId, 'third passkey', changed.device)).toBe(true);
    await world.agents.removePasskey(world.owner, mine.agentId);
    const code = await codeFor(mine.agentId);
    expect((await auth.login({ code }, page)).device).toBeUndefined();
  });
});

describe('the tag of a passkey', () => {
  const tagOf = async (agentId: string) => {
    const { rows } = await world.database.pool.query(
      'select passkey_tag, passkey_tag_key from agent_credentials where agent_id = $1',
      [agentId],
    );
    return rows[0];
  };

  test('stands beside each hash; a success makes one that is missing or of another token anew', async () => {
    const agentId = await somebody();
    const { keyId } = SIGN_IN_KEYS.passkeyTags;
    const made = await tagOf(agentId);
    expect(made).toMatchObject({ passkey_tag_key: keyId });
    for (const [tag, key] of [
      [null, null],
      [(made.passkey_tag + 1) % 256, 'of before'],
    ]) {
      await world.database.pool.query(
        'update agent_credentials set passkey_tag = $2, passkey_tag_key = $3 where agent_id = $1',
        [agentId, tag, key],
      );
      await tryWrong(agentId);
      expect(await tagOf(agentId)).toEqual({ passkey_tag: tag, passkey_tag_key: key });
      await auth.login({ agentId, passkey: PASSKEY }, ORIGIN);
      expect(await tagOf(agentId)).toEqual(made);
    }
  });

  test('decides before scrypt: with another tag even the right passkey is refused', async () => {
    const agentId = await somebody();
    await world.database.pool.query(
      'update agent_credentials set passkey_tag = (passkey_tag + 1) % 256 where agent_id = $1',
      [agentId],
    );
    await expect(auth.login({ agentId, passkey: PASSKEY }, ORIGIN)).rejects.toMatchObject(refused);
  });

  test('a refusal takes its time, whether scrypt ran or not', async () => {
    const agentId = await somebody();
    const slow = new AuthService({ database: world.database, clock: world.clock, ...SIGN_IN_KEYS });
    const startedAt = performance.now();
    await Promise.all([tryWrong(agentId, slow), tryWrong('nobody_here', slow)]);
    // Timers may fire a moment early.
    expect(performance.now() - startedAt).toBeGreaterThan(145);
  });
});

describe('who calls', () => {
  test('a cookie opens only with its own CSRF value', async () => {
    const [one, two] = [await somebody(), await somebody()];
    const mine = await auth.login({ agentId: one, passkey: PASSKEY }, ORIGIN);
    const theirs = await auth.login({ agentId: two, passkey: PASSKEY }, ORIGIN);
    const api = await auth.createToken(mine.person, { name: 'script' });
    for (const csrf of ['', 'wrong', theirs.csrf, mine.token])
      await expect(auth.identify(mine.token, csrf)).rejects.toMatchObject(refused);
    await expect(auth.identify(api.token, mine.csrf)).rejects.toMatchObject(refused);
    expect((await auth.identify(mine.token, mine.csrf)).id).toBe(one);
    expect((await auth.identify(api.token)).id).toBe(one);
  });

  test('an unknown, empty, expired or foreign token opens nothing', async () => {
    const { token, csrf } = await auth.login({ agentId: await somebody(), passkey: PASSKEY }, ORIGIN);
    for (const wrong of ['', 'x', csrf, `${token} `])
      await expect(auth.identify(wrong)).rejects.toMatchObject(refused);
    world.clock.advance(30 * 24 * 60 * MINUTE_MS);
    await expect(auth.identify(token)).rejects.toMatchObject(refused);
  });

  test('logout ends the token here at once, elsewhere with the key or after two seconds', async () => {
    const signIn = async () => auth.login({ agentId: await somebody(), passkey: PASSKEY }, ORIGIN);
    const [first, second] = [await signIn(), await signIn()];
    await world.clock.frozen(async () => {
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
    });
    await auth.logout(second.token);
    world.clock.advance(2_001);
    await expect(otherAuth.identify(second.token)).rejects.toMatchObject(refused);
  });

  test('a new access level is known as soon as the key came', async () => {
    const { token, person } = await auth.login({ agentId: await somebody(), passkey: PASSKEY }, ORIGIN);
    expect((await auth.identify(token)).accessLevel).toBe('member');
    world.dirtyKeys.length = 0;
    await world.agents.update(world.owner, person.id, { accessLevel: 'viewer' });
    auth.onKeys(world.dirtyKeys);
    expect((await auth.identify(token)).accessLevel).toBe('viewer');
  });

  test('a deleted person’s tokens open nothing', async () => {
    const { token, person } = await auth.login({ agentId: await somebody(), passkey: PASSKEY }, ORIGIN);
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
      await auth.login({ agentId, passkey: PASSKEY }, ORIGIN),
      await auth.login({ agentId, passkey: PASSKEY }, ORIGIN),
    ];
    await expect(auth.changePasskey(here.person, 'wrong passkey', 'new passkey')).rejects.toMatchObject(
      refused,
    );
    await auth.changePasskey(here.person, PASSKEY, 'new passkey', here.token);
    await expect(auth.login({ agentId, passkey: PASSKEY }, ORIGIN)).rejects.toMatchObject(refused);
    await auth.login({ agentId, passkey: 'new passkey' }, ORIGIN);
    expect((await auth.identify(here.token)).id).toBe(agentId);
    await expect(auth.identify(there.token)).rejects.toMatchObject(refused);
  });

  test('a stolen session cannot guess the passkey at speed', async () => {
    const { person } = await auth.login({ agentId: await somebody(), passkey: PASSKEY }, ORIGIN);
    for (let attempt = 0; attempt < 5; attempt += 1)
      await auth.changePasskey(person, 'wrong passkey', 'new passkey').catch(() => undefined);
    expect(slept).toEqual([1_000, 2_000]);
  });

  test('named tokens: shown once, listed without the token, page by page, ended one by one', async () => {
    const { person } = await auth.login({ agentId: await somebody(), passkey: PASSKEY }, ORIGIN);
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
