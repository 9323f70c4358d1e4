import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { delayAfter, type Lane, SignInDelay } from '../../src/core/auth/sign-in-delay.ts';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { newId } from '../../src/platform/ids.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { createTestDatabase, type TestDatabase } from '../../src/testing/test-database.ts';
import { LONG_TIMEOUT_MS } from '../../src/testing/timeouts.ts';
import { outcomes } from './people-support.ts';

let testDatabase: TestDatabase;
let databases: Database[];
let clock: FakeClock;
let slept: number[];
let delay: SignInDelay;
/** A second process. */
let otherDelay: SignInDelay;
let account: string;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  databases = [1, 2].map(() =>
    openDatabase({ url: testDatabase.url, maxConnections: 5, transactionTimeoutMs: LONG_TIMEOUT_MS }),
  );
});

afterAll(async () => {
  await Promise.all(databases.map((database) => database.close()));
  await testDatabase.drop();
});

beforeEach(() => {
  account = newId('agt');
  clock = new FakeClock();
  slept = [];
  const sleep = async (ms: number) => void slept.push(ms);
  const [first, second] = databases.map(({ db }) => new SignInDelay({ db, clock, sleep }));
  if (!(first && second)) throw new Error('two processes');
  [delay, otherDelay] = [first, second];
});

/** Of a stranger, unless it says something else. */
const lane = (other: Partial<Lane> = {}): Lane => ({
  account,
  source: 'rest 127.0.0.1',
  maxDelayMs: 30_000,
  maxWaiting: 20,
  ...other,
});
const right = async () => 'signed in';
const wrong = async () => undefined;
const fail = (times: number, by = delay) =>
  Promise.all(Array.from({ length: times }, () => by.attempt(lane(), wrong)));

test('the table of delays', () => {
  expect(
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1_000_000].map((failures) => delayAfter(failures, 30_000) / 1_000),
  ).toEqual([0, 0, 0, 1, 2, 4, 8, 16, 30, 30, 30]);
  expect([3, 4, 5, 6, 1_000_000].map((failures) => delayAfter(failures, 3_000))).toEqual([
    1_000, 2_000, 3_000, 3_000, 3_000,
  ]);
});

test('after the third failure the next attempts are held 1, 2, 4 … 30 s, a right one too, and then answered', async () => {
  for (let attempt = 0; attempt < 10; attempt += 1) expect(await fail(1)).toEqual([undefined]);
  expect(slept).toEqual([1, 2, 4, 8, 16, 30, 30].map((seconds) => seconds * 1_000));
  slept.length = 0;
  expect(await delay.attempt(lane(), right)).toBe('signed in');
  expect(slept).toEqual([30_000]);
  expect(await delay.attempt(lane(), right)).toBe('signed in');
  expect(slept).toEqual([30_000]);
});

test('the passkey is looked at only after the wait', async () => {
  await fail(3);
  const order: string[] = [];
  const [database] = databases;
  if (!database) throw new Error('a database');
  const held = new SignInDelay({ db: database.db, clock, sleep: async () => void order.push('slept') });
  await held.attempt(lane(), async () => order.push('checked'));
  expect(order).toEqual(['slept', 'checked']);
});

test('counts one account from one address, over all processes', async () => {
  await fail(2);
  await fail(1, otherDelay);
  await delay.attempt(lane({ source: 'rest 192.0.2.1' }), right);
  await delay.attempt(lane({ account: newId('agt') }), right);
  expect(slept).toEqual([]);
  await otherDelay.attempt(lane(), right);
  expect(slept).toEqual([1_000]);
});

test('right attempts at the same time hold nobody', async () => {
  await Promise.all(Array.from({ length: 15 }, () => delay.attempt(lane(), right)));
  expect(slept).toEqual([]);
});

test('many wrong ones at once gain nothing: what the others have failed meanwhile holds each', async () => {
  await Promise.all([fail(10), fail(10, otherDelay)]);
  // However they interleave: the n-th failure to be counted was held for what n − 1 failures cost.
  const total = Array.from({ length: 20 }, (_, failures) => delayAfter(failures, 30_000)).reduce(
    (sum, ms) => sum + ms,
    0,
  );
  expect(slept.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThanOrEqual(total);
});

test('more than twenty that wait are refused at once; when they have been answered it goes on', async () => {
  await fail(3);
  const gate = Promise.withResolvers<void>();
  const [database] = databases;
  if (!database) throw new Error('a database');
  const held = new SignInDelay({ db: database.db, clock, sleep: () => gate.promise });
  const waiting = Array.from({ length: 20 }, () => held.attempt(lane(), right));
  await expect(held.attempt(lane(), right)).rejects.toMatchObject({
    code: 'rate_limited',
    retryAfterSeconds: 1,
  });
  expect(await held.attempt(lane({ account: newId('agt') }), right)).toBe('signed in');
  gate.resolve();
  expect(new Set(await outcomes(waiting))).toEqual(new Set(['ok']));
  expect(await held.attempt(lane(), right)).toBe('signed in');
});

test('a check that throws counts as nothing and leaves its place', async () => {
  for (let attempt = 0; attempt < 30; attempt += 1)
    await expect(delay.attempt(lane(), () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await delay.attempt(lane(), right)).toBe('signed in');
  expect(slept).toEqual([]);
});

test('a stranger is held three seconds in all, whatever the others fail meanwhile', async () => {
  await fail(10);
  slept.length = 0;
  const stranger = lane({ maxDelayMs: 3_000 });
  const check = async () => {
    await fail(3, otherDelay);
    slept.length = 0;
    return 'signed in';
  };
  const held: number[] = [];
  const [database] = databases;
  if (!database) throw new Error('a database');
  const own = new SignInDelay({ db: database.db, clock, sleep: async (ms) => void held.push(ms) });
  expect(await own.attempt(stranger, check)).toBe('signed in');
  expect(held).toEqual([3_000]);
});

test('an attempt whose client has gone is not checked, and leaves its place at once', async () => {
  await fail(3);
  const [database] = databases;
  if (!database) throw new Error('a database');
  const real = new SignInDelay({ db: database.db, clock });
  const client = new AbortController();
  const checked: string[] = [];
  const one = lane({ maxWaiting: 1 });
  const waiting = real.attempt(one, async () => void checked.push('checked'), client.signal);
  client.abort();
  await expect(waiting).rejects.toMatchObject({ code: 'invalid_input' });
  expect(checked).toEqual([]);
  expect(await real.failures(one)).toBe(3);
  expect(await real.attempt(one, right)).toBe('signed in');
});

test('yesterday’s failures are forgotten; their rows are the sweeper’s to delete', async () => {
  await fail(3);
  clock.advance(25 * 3_600_000);
  await fail(2);
  expect(await delay.failures(lane())).toBe(2);
  await delay.attempt(lane(), right);
  expect(slept).toEqual([]);
});
