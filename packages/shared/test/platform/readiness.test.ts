import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { SchemaCheck } from '../../src/platform/db/schema-check.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { createTestDatabase, type TestDatabase } from '../../src/testing/test-database.ts';

let testDatabase: TestDatabase;
let database: Database;
let check: SchemaCheck;
const lines: { level: string; msg: string }[] = [];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase({ url: testDatabase.url, maxConnections: 1 });
});
beforeEach(() => {
  lines.length = 0;
  const logger = createLogger('test', {
    destination: { write: (line) => void lines.push(JSON.parse(line)) },
  });
  check = new SchemaCheck(database, logger);
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

const NEWER =
  'The schema of the database is newer than this process: update it to the same version, or stop it.';
const OLDER = 'The schema of the database is older than this process: it is not migrated yet.';
const isReady = () => expect(check.requireCurrent()).resolves.toBeUndefined();
const isNot = (message: string) =>
  expect(check.requireCurrent()).rejects.toMatchObject({ code: 'unavailable', message });
const add = (name: string) =>
  database.pool.query(`insert into kysely_migration (name, timestamp) values ($1, '')`, [name]);
const remove = (name: string) => database.pool.query('delete from kysely_migration where name = $1', [name]);

test('the schema of this build is right', async () => {
  await isReady();
  expect(lines).toEqual([]);
});

test('a newer one is not: it is said once in the log, and again when it was right in between', async () => {
  for (let times = 0; times < 2; times += 1) {
    await add('20990101000001_of_a_newer_build');
    await isNot(NEWER);
    await isNot(NEWER);
    expect(lines.splice(0)).toMatchObject([{ level: 'error', msg: NEWER }]);
    await remove('20990101000001_of_a_newer_build');
    await isReady();
  }
});

test('nor is an older one, also when another build has applied as many migrations', async () => {
  const { rows } = await database.pool.query('select name from kysely_migration order by name desc limit 1');
  await remove(rows[0].name);
  await isNot(OLDER);
  await add('20990101000001_of_a_newer_build');
  await isNot(NEWER);
  expect(lines.map(({ msg }) => msg)).toEqual([OLDER, NEWER]);
  await remove('20990101000001_of_a_newer_build');
  await add(rows[0].name);
  await isReady();
});

test('nor is a database without any', async () => {
  await database.pool.query('alter table kysely_migration rename to elsewhere');
  await isNot('The database does not answer as it should.');
  await database.pool.query('alter table elsewhere rename to kysely_migration');
  await isReady();
});
