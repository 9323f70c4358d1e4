import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { SETTING_NAMES, SETTINGS } from '../../src/contract/settings.ts';
import { CachedSettings, SettingsService } from '../../src/core/settings/settings-service.ts';
import { keys } from '../../src/platform/change-log/keys.ts';
import type { SettingsFromEnv } from '../../src/platform/config/settings-from-env.ts';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { createTestDatabase, type TestDatabase } from '../../src/testing/test-database.ts';
import { LONG_TIMEOUT_MS } from '../../src/testing/timeouts.ts';

const owner = { id: 'owner', name: 'Owner', accessLevel: 'owner' } as const;

let testDatabase: TestDatabase;
let database: Database;
let clock: FakeClock;
let dirty: string[];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase({
    url: testDatabase.url,
    maxConnections: 3,
    transactionTimeoutMs: LONG_TIMEOUT_MS,
  });
  database.onCommit = (committed) => void dirty.push(...committed);
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

beforeEach(async () => {
  clock = new FakeClock();
  dirty = [];
  await database.pool.query('delete from app_settings');
  await database.pool.query('insert into app_settings default values');
});

function process(environment: SettingsFromEnv = {}) {
  const settings = new CachedSettings({ database, clock, environment });
  return { settings, service: new SettingsService({ database, clock, settings }) };
}

test('everything is a default at first', async () => {
  const { service } = process();
  const { sources, ...values } = await service.get(owner);
  for (const name of SETTING_NAMES)
    expect([values[name], sources[name]]).toEqual([SETTINGS[name].default, 'default']);
});

test('PUT merges, null goes back to the default, and it is written down', async () => {
  const { service } = process();
  await service.update(owner, { pendingPurposeTtlSeconds: 60 });
  expect(dirty).toEqual([keys.settings]);
  const view = await service.update(owner, { turnTimeoutSeconds: 0 });
  expect(view).toMatchObject({ pendingPurposeTtlSeconds: 60, turnTimeoutSeconds: 0 });
  expect(view.sources).toMatchObject({
    pendingPurposeTtlSeconds: 'setting',
    turnTimeoutSeconds: 'setting',
    viewerLeaseSeconds: 'default',
  });
  const back = await service.update(owner, { pendingPurposeTtlSeconds: null });
  expect([back.pendingPurposeTtlSeconds, back.sources.pendingPurposeTtlSeconds]).toEqual([300, 'default']);
  const { rows } = await database.pool.query(
    "select details from audit_entries where action = 'settings.changed'",
  );
  expect(rows).toEqual([
    { details: { pendingPurposeTtlSeconds: 60 } },
    { details: { turnTimeoutSeconds: 0 } },
    { details: { pendingPurposeTtlSeconds: null } },
  ]);
});

test('owners only', async () => {
  const { service } = process();
  for (const accessLevel of ['member', 'viewer'] as const) {
    const person = { id: 'somebody', name: 'S', accessLevel };
    await expect(service.update(person, { viewerLeaseSeconds: 5 })).rejects.toMatchObject({
      code: 'forbidden',
    });
    await expect(service.get(person)).rejects.toMatchObject({ code: 'forbidden' });
  }
});

test('a variable wins over what is stored and cannot be changed; nothing else of the body is stored then', async () => {
  await process().service.update(owner, { pendingPurposeTtlSeconds: 60 });
  const { service, settings } = process({ pendingPurposeTtlSeconds: 7 });
  expect((await settings.current()).pendingPurposeTtlSeconds).toBe(7);
  await expect(
    service.update(owner, { viewerLeaseSeconds: 5, pendingPurposeTtlSeconds: 8 }),
  ).rejects.toMatchObject({
    code: 'set_by_environment',
    details: { settings: ['pendingPurposeTtlSeconds'] },
  });
  const view = await service.get(owner);
  expect(view).toMatchObject({ pendingPurposeTtlSeconds: 7, viewerLeaseSeconds: 60 });
  expect(view.sources.pendingPurposeTtlSeconds).toBe('env');
});

test('another process knows a change when it is told, or after a second', async () => {
  await clock.frozen(async () => {
    const [here, there] = [process(), process()];
    const ttl = async () => (await there.settings.current()).pendingPurposeTtlSeconds;
    expect(await ttl()).toBe(300);
    await here.service.update(owner, { pendingPurposeTtlSeconds: 60 });
    there.settings.onKeys(['w', 'l:']);
    expect(await ttl()).toBe(300);
    there.settings.onKeys(dirty);
    expect(await ttl()).toBe(60);
    await here.service.update(owner, { pendingPurposeTtlSeconds: 30 });
    expect(await ttl()).toBe(60);
    clock.advance(1_000);
    expect(await ttl()).toBe(30);
  });
});

test('a read that failed is not remembered', async () => {
  const away = openDatabase({ url: testDatabase.url.replace(/\/[^/]*$/, '/no_such_database') });
  const settings = new CachedSettings({ database: away, clock, environment: {} });
  await expect(settings.current()).rejects.toThrow();
  await expect(settings.current()).rejects.toThrow();
  await away.close();
});
