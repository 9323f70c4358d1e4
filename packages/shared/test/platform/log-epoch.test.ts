import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startThrowawayPostgres } from '../../../../scripts/postgres/throwaway-postgres.ts';
import { logBounds, readLog } from '../../src/platform/change-log/change-log.ts';
import { ensureLogEpoch } from '../../src/platform/change-log/log-epoch.ts';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { createTestDatabase, type TestDatabase } from '../../src/testing/test-database.ts';
import { LONG_TIMEOUT_MS } from '../../src/testing/timeouts.ts';

let testDatabase: TestDatabase;
let database: Database;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase({ url: testDatabase.url, transactionTimeoutMs: LONG_TIMEOUT_MS });
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});
beforeEach(async () => {
  // A clone of the template: a database of its own, as its first start finds it.
  await migrate(testDatabase.url);
});

const epoch = async ({ db }: Database = database) => (await logBounds(db)).epoch;
const count = async () => {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from change_log`.execute(database.db);
  return rows[0]?.n;
};
/** A change event of ours, or one that another cluster stamped. */
const write = (messageId: string, xid = 'pg_current_xact_id()') =>
  database.pool.query(
    `insert into change_log (project_id, kind, ref, xid)
      values ('prj_log', 'message', jsonb_build_object('messageId', $1::text), ${xid})`,
    [messageId],
  );
const refs = (batch: Awaited<ReturnType<typeof readLog>>) => batch.entries.map(({ ref }) => ref.messageId);

it('a start on the database as it was keeps the log and its epoch', async () => {
  const before = await epoch();
  await write('kept');
  await migrate(testDatabase.url);
  expect(await epoch()).toBe(before);
  expect(await count()).toBe(1);
});

it('rows stamped far above every transaction of this cluster: emptied, and readers wait for nothing', async () => {
  const before = await epoch();
  await write('of another cluster', `'9000000000000'::xid8`);
  expect((await readLog(database.db, '0')).pending).toBe(true);
  await migrate(testDatabase.url);
  expect(await epoch()).not.toBe(before);
  expect(await count()).toBe(0);
  const from = (await logBounds(database.db)).horizon;
  await write('of this one');
  await expect.poll(async () => refs(await readLog(database.db, from))).toEqual(['of this one']);
  expect(await readLog(database.db, from)).toMatchObject({ pending: false, epoch: await epoch() });
});

it('of many starts at once one puts it right, and none empties what came after', async () => {
  await write('of another cluster', `'9000000000000'::xid8`);
  const starts = await Promise.all(
    [1, 2, 3, 4, 5].map(async () => {
      const result = await ensureLogEpoch(database);
      if (result === 'renewed') await write('after the repair');
      return result;
    }),
  );
  expect(starts.toSorted()).toEqual(['kept', 'kept', 'kept', 'kept', 'renewed']);
  expect(await count()).toBe(1);
});

it('rows copied into another cluster whose transactions begin lower', async () => {
  const other = await startThrowawayPostgres();
  try {
    // This one is older: it has given many more transaction ids than the new one.
    await database.pool.query(
      'do $$ begin for n in 1..20000 loop perform pg_current_xact_id(); commit; end loop; end $$',
    );
    await write('told before the dump');
    const restored = openDatabase({ url: other.adminUrl });
    await migrate(other.adminUrl);
    // As pg_restore does: the tables as they were, the epoch of the old cluster among them.
    for (const [table, columns] of [
      ['log_epoch', 'only_row, epoch, cluster, begun_at'],
      ['change_log', 'xid, project_id, kind, ref, created_at'],
    ] as const) {
      const { rows } = await database.pool.query<{ json: string }>(
        `select jsonb_agg(to_jsonb(t) - 'id')::text as json from (select ${columns} from ${table}) t`,
      );
      await restored.pool.query(`delete from ${table}`);
      await restored.pool.query(
        `insert into ${table} (${columns}) select ${columns} from jsonb_populate_recordset(null::${table}, $1)`,
        [rows[0]?.json],
      );
    }
    expect((await readLog(restored.db, '0')).pending).toBe(true);
    const dumped = await epoch();
    expect(await epoch(restored)).toBe(dumped);
    await migrate(other.adminUrl);
    expect(await epoch(restored)).not.toBe(dumped);
    expect(await readLog(restored.db, '0')).toMatchObject({ entries: [], pending: false });
    await restored.close();
  } finally {
    await other.stop();
  }
});

it('rows that happen to lie below: the cluster itself is recognised', async () => {
  const before = await epoch();
  await write('of another cluster', `'3'::xid8`);
  await database.pool.query(`update log_epoch set cluster = 'of another one'`);
  expect(await ensureLogEpoch(database)).toBe('renewed');
  expect(await epoch()).not.toBe(before);
  expect(await count()).toBe(0);
});

it('a role that may not read what tells clusters apart starts all the same', async () => {
  const name = `plain_${Date.now()}`;
  await database.pool.query(`create role ${name} login password 'plain'`);
  await database.pool.query(
    `alter table change_log owner to ${name}; alter table log_epoch owner to ${name}`,
  );
  await database.pool.query(`revoke execute on function pg_control_system() from public`);
  const url = new URL(testDatabase.url);
  url.username = name;
  url.password = 'plain';
  const plain = openDatabase({ url: url.href });
  try {
    await ensureLogEpoch(plain);
    expect(await ensureLogEpoch(plain)).toBe('kept');
    await write('of another cluster', `'9000000000000'::xid8`);
    expect(await ensureLogEpoch(plain)).toBe('renewed');
  } finally {
    await plain.close();
    const admin = new pg.Client({ connectionString: testDatabase.url });
    await admin.connect();
    await admin.query(`reassign owned by ${name} to current_user`);
    await admin.query(`drop owned by ${name}; drop role ${name}`);
    await admin.end();
  }
});
