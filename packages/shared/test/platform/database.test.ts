import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { prepared } from '../../src/platform/db/prepared.ts';
import { createTestDatabase, type TestDatabase } from '../../src/testing/test-database.ts';

let testDatabase: TestDatabase;
let database: Database;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase({ url: testDatabase.url });
  await database.pool.query('create table pair (id int primary key, n int not null)');
  await database.pool.query('insert into pair values (1, 0), (2, 0)');
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

it('the log of our own Postgres quotes no row that it refuses', async () => {
  await database.pool.query(
    `create table said (words text constraint said_check check (words <> 'zanzibar'))`,
  );
  await expect(database.pool.query('insert into said values ($1)', ['zanzibar'])).rejects.toThrow(
    'said_check',
  );
  const { rows } = await database.pool.query('show data_directory');
  const log = await readFile(join(rows[0].data_directory, '..', '..', 'postgres.log'), 'utf8');
  const refusal = log.slice(log.lastIndexOf('said_check'));
  expect(refusal).toContain('insert into said values ($1)');
  expect(refusal).not.toContain('zanzibar');
});

it('a prepared read is planned once for each connection, and others are not kept', async () => {
  const names = await database.db.transaction().execute(async (trx) => {
    for (const id of [1, 2])
      await sql`${prepared('one-pair')} select n from pair where id = ${id}`.execute(trx);
    await sql`select n from pair where id = ${1}`.execute(trx);
    return sql<{ name: string }>`select name from pg_prepared_statements`.execute(trx);
  });
  expect(names.rows).toEqual([{ name: 'one-pair' }]);
});

it('a statement that loses a deadlock is done again: nothing of it is lost or doubled', async () => {
  const gate = await database.pool.connect();
  await gate.query('select pg_advisory_lock(1)');
  const other = await database.pool.connect();
  await other.query("set deadlock_timeout = '30s'");
  await other.query("set transaction_timeout = '60s'");
  await other.query('begin');
  await other.query('update pair set n = n + 1 where id = 2');
  const held = database.statement<{ id: number }>({
    name: 'both',
    // Takes row 1, waits at the gate, then for row 2: Postgres looks for a deadlock once, a second after that.
    text: `with first as (update pair set n = n + 1 where id = 1 returning id),
        gate as materialized (select id, pg_advisory_xact_lock(1) from first)
      update pair set n = n + 1 from gate where pair.id = 2 returning pair.id`,
    values: [],
  });
  await waiting();
  const crossed = other.query('update pair set n = n + 1 where id = 1');
  await waiting(2);
  await gate.query('select pg_advisory_unlock(1)');
  gate.release();
  await crossed;
  await other.query('commit');
  other.release();
  expect(await held).toEqual([{ id: 2 }]);
  const { rows } = await database.pool.query('select id, n from pair order by id');
  expect(rows).toEqual([
    { id: 1, n: 2 },
    { id: 2, n: 2 },
  ]);
});

it('a fault of a statement is told when its locks are gone, and costs no connection', async () => {
  const other = await database.pool.connect();
  const faulty = {
    name: 'faulty',
    text: 'with held as (update pair set n = n where id = 1 returning id) select 1 / (id - 1) from held',
    values: [],
  };
  const backend = 'select pg_backend_pid() as pid';
  const { rows: before } = await database.pool.query(backend);
  for (let attempt = 0; attempt < 200; attempt += 1) {
    await expect(database.statement(faulty)).rejects.toMatchObject({ code: '22012' });
    const { rows } = await other.query('select from pair where id = 1 for update skip locked');
    expect(rows).toHaveLength(1);
  }
  expect((await database.pool.query(backend)).rows).toEqual(before);
  other.release();
});

/** Until somebody waits for a lock. */
async function waiting(count = 1): Promise<void> {
  for (;;) {
    const { rows } = await database.pool.query(
      "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
    );
    if (rows.length >= count) return;
  }
}

it('a connection that Postgres has ended is lent to nobody again', async () => {
  const alone = openDatabase({ url: testDatabase.url, maxConnections: 1 });
  try {
    for (let count = 0; count < 20; count += 1) {
      await expect(
        sql`select pg_terminate_backend(pg_backend_pid())`.execute(alone.db),
      ).rejects.toMatchObject({ code: '57P01' });
      // At once: the pool has not heard yet that the connection is over.
      const { rows } = await alone.transaction((tx) => sql`select 1 as one`.execute(tx.db));
      expect(rows).toEqual([{ one: 1 }]);
    }
  } finally {
    await alone.close();
  }
});

it('a statement that exceeds its bound is ended, and its connection serves the next one', async () => {
  const bounded = openDatabase({ url: testDatabase.url, maxConnections: 1, statementTimeoutMs: 1_000 });
  try {
    const slow = bounded.statement({ name: 'slow', text: 'select pg_sleep(30)', values: [] });
    await expect(slow).rejects.toMatchObject({ code: '57014' });
    const { rows } = await sql`select 1 as one`.execute(bounded.db);
    expect(rows).toEqual([{ one: 1 }]);
  } finally {
    await bounded.close();
  }
});

it('a statement that nobody waits for any more is not sent, also when it has waited for its connection', async () => {
  const one = openDatabase({ url: testDatabase.url, maxConnections: 1 });
  const busy = await one.pool.connect();
  const over = new AbortController();
  const query = { name: 'late', text: 'update pair set n = -1', values: [], signal: over.signal };
  const waits = one.statement(query);
  over.abort();
  busy.release();
  await expect(waits).rejects.toMatchObject({ name: 'AbortError' });
  await expect(one.statement(query)).rejects.toMatchObject({ name: 'AbortError' });
  expect(await one.statement({ name: 'left', text: 'select from pair where n = -1', values: [] })).toEqual(
    [],
  );
  await one.close();
});
