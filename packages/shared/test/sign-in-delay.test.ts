import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Database, openDatabase } from '../src/db/database.ts';
import { newId } from '../src/ids.ts';
import { delayAfter, SignInDelay } from '../src/services/sign-in-delay.ts';
import { FakeClock } from '../src/testing/fake-clock.ts';
import { createTestDatabase, type TestDatabase } from '../src/testing/test-database.ts';
import { ADDRESS, outcomes } from './people-support.ts';

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
  databases = [1, 2].map(() => openDatabase({ url: testDatabase.url, maxConnections: 5 }));
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

const right = async () => 'signed in';
const wrong = async () => undefined;
const fail = (times: number, by = delay) =>
  Promise.all(Array.from({ length: times }, () => by.attempt(account, ADDRESS, wrong)));

test('the table of delays', () => {
  expect([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1_000_000].map((failures) => delayAfter(failures) / 1_000)).toEqual([
    0, 0, 0, 1, 2, 4, 8, 16, 30, 30, 30,
  ]);
});

test('after the third failure the next attempts are held 1, 2, 4 … 30 s, a right one too, and then answered', async () => {
  for (let attempt = 0; attempt < 10; attempt += 1) expect(await fail(1)).toEqual([undefined]);
  expect(slept).toEqual([1, 2, 4, 8, 16, 30, 30].map((seconds) => seconds * 1_000));
  slept.length = 0;
  expect(await delay.attempt(account, ADDRESS, right)).toBe('signed in');
  expect(slept).toEqual([30_000]);
  expect(await delay.attempt(account, ADDRESS, right)).toBe('signed in');
  expect(slept).toEqual([30_000]);
});

test('the passkey is looked at only after the wait', async () => {
  await fail(3);
  const order: string[] = [];
  const [database] = databases;
  if (!database) throw new Error('a database');
  const held = new SignInDelay({ db: database.db, clock, sleep: async () => void order.push('slept') });
  await held.attempt(account, ADDRESS, async () => order.push('checked'));
  expect(order).toEqual(['slept', 'checked']);
});

test('counts one account from one address, over all processes', async () => {
  await fail(2);
  await fail(1, otherDelay);
  await delay.attempt(account, '192.0.2.1', right);
  await delay.attempt(newId('agt'), ADDRESS, right);
  expect(slept).toEqual([]);
  await otherDelay.attempt(account, ADDRESS, right);
  expect(slept).toEqual([1_000]);
});

test('right attempts at the same time hold nobody', async () => {
  await Promise.all(Array.from({ length: 15 }, () => delay.attempt(account, ADDRESS, right)));
  expect(slept).toEqual([]);
});

test('many wrong ones at once gain nothing: what the others have failed meanwhile holds each', async () => {
  await Promise.all([fail(10), fail(10, otherDelay)]);
  // However they interleave: the n-th failure to be counted was held for what n − 1 failures cost.
  const total = Array.from({ length: 20 }, (_, failures) => delayAfter(failures)).reduce(
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
  const waiting = Array.from({ length: 20 }, () => held.attempt(account, ADDRESS, right));
  await expect(held.attempt(account, ADDRESS, right)).rejects.toMatchObject({
    code: 'rate_limited',
    retryAfterSeconds: 30,
  });
  expect(await held.attempt(newId('agt'), ADDRESS, right)).toBe('signed in');
  gate.resolve();
  expect(new Set(await outcomes(waiting))).toEqual(new Set(['ok']));
  expect(await held.attempt(account, ADDRESS, right)).toBe('signed in');
});

test('a check that throws counts as nothing and leaves its place', async () => {
  for (let attempt = 0; attempt < 30; attempt += 1)
    await expect(delay.attempt(account, ADDRESS, () => Promise.reject(new Error('away')))).rejects.toThrow(
      'away',
    );
  expect(await delay.attempt(account, ADDRESS, right)).toBe('signed in');
  expect(slept).toEqual([]);
});

test('a thousand strangers of yesterday are forgotten bit by bit; who fails again begins at one at once', async () => {
  await fail(3);
  const [database] = databases;
  await database?.pool.query(
    `insert into sign_in_failures select 'stranger_' || n, $1, 1, $2::timestamptz - interval '1 hour'
     from generate_series(1, 1000) n`,
    [ADDRESS, clock.now()],
  );
  clock.advance(25 * 3_600_000);
  const strangers = async () =>
    Number(
      (await database?.pool.query(`select from sign_in_failures where account like 'stranger_%'`))?.rowCount,
    );
  await fail(1);
  expect(await strangers()).toBe(900);
  await fail(2);
  expect(await strangers()).toBe(700);
  expect(slept).toEqual([]);
  await delay.attempt(account, ADDRESS, right);
  expect(slept).toEqual([1_000]);
  await database?.pool.query(`delete from sign_in_failures where account like 'stranger_%'`);
});

test('yesterday’s failures are forgotten, and so are their rows', async () => {
  await fail(3);
  clock.advance(25 * 3_600_000);
  const [database] = databases;
  await delay.attempt(newId('agt'), ADDRESS, wrong);
  await delay.attempt(account, ADDRESS, right);
  expect(slept).toEqual([]);
  const old = await database?.db
    .selectFrom('signInFailures')
    .select('account')
    .where('lastFailedAt', '<', new Date(clock.now().getTime() - 24 * 3_600_000))
    .execute();
  expect(old).toEqual([]);
});
