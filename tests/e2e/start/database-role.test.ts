import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openDatabase } from '@aizuchi/shared/platform/db/database';
import { migrate } from '@aizuchi/shared/platform/db/migrate';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { supervisor } from '../../../scripts/commands/product.ts';
import { postgresUrl, startEmbeddedPostgres } from '../../../scripts/postgres/embedded-postgres.ts';
import { ensureServiceRole, serviceRole } from '../../../scripts/postgres/service-role.ts';
import { databaseUrlOf, ProductProcess, throwAwayHome } from './product-process.ts';

/* Row 19 of the probe: the services' role on our own Postgres owns its database and has no other rights. */

const clean: (() => Promise<unknown>)[] = [];

beforeEach(() => {
  clean.length = 0;
});
afterEach(async () => {
  for (const step of clean.reverse()) await step();
});

async function query<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

const FOREIGN = `select c.relname from pg_class c where c.relnamespace = 'public'::regnamespace
  and c.relowner <> '${serviceRole}'::regrole`;

test('the services of a real start work as a role without the rights of the superuser', async () => {
  const { home, clean: removeHome } = await throwAwayHome();
  clean.push(removeHome);
  const env = { AIZUCHI_WORKSPACE_ROOTS: join(dirname(home), 'work') };
  const product = new ProductProcess({ home, main: supervisor, env });
  clean.push(() => product.stop());
  await product.ready();
  const url = (await readFile(join(home, 'secrets', 'database-url'), 'utf8')).trim();
  expect(
    await query(
      url,
      `select rolname, rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls,
        (select count(*)::int from pg_auth_members where member = r.oid) as memberships
      from pg_roles r where rolname = current_user`,
    ),
  ).toEqual([
    {
      rolname: serviceRole,
      rolsuper: false,
      rolcreatedb: false,
      rolcreaterole: false,
      rolreplication: false,
      rolbypassrls: false,
      memberships: 0,
    },
  ]);
  const admin = await databaseUrlOf(home);
  const connected = await query<{ usename: string }>(
    admin,
    `select distinct usename from pg_stat_activity
    where datname = 'aizuchi' and backend_type = 'client backend' and pid <> pg_backend_pid()`,
  );
  expect(connected).toEqual([{ usename: serviceRole }]);
  expect(await query(admin, FOREIGN)).toEqual([]);
  for (const forbidden of [
    `copy (select 1) to program 'true'`,
    `select pg_read_file('/etc/passwd')`,
    `select pg_stat_file('/etc/passwd')`,
    'alter system set work_mem = 1',
    'create database another',
    'create role another',
    'select rolpassword from pg_authid',
    'load $$/tmp/x.so$$',
  ])
    await expect(query(url, forbidden), forbidden).rejects.toThrow(/permission denied|must be|not allowed/i);
});

test('the data folder of an older version, whose services were superuser, is converted and keeps its rows', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'aizuchi-role-'));
  await chmod(folder, 0o711);
  clean.push(() => rm(folder, { recursive: true, force: true }));
  const password = 'of-the-superuser';
  const server = await startEmbeddedPostgres({
    dataDir: join(folder, 'data', 'postgres'),
    copyInto: join(folder, 'bin'),
    logFile: join(folder, 'postgres.log'),
    password,
    durable: false,
  });
  clean.push(() => server.stop());
  const endpoint = { port: server.port, password };
  await query(
    postgresUrl(endpoint, 'postgres'),
    `create database aizuchi template template0 encoding 'UTF8'`,
  );
  const admin = postgresUrl(endpoint, 'aizuchi');
  await migrate(admin);
  await query(
    admin,
    `create type mood as enum ('calm'); create function twice(int) returns int return $1 * 2`,
  );
  const epoch = await query(admin, 'select epoch from log_epoch');

  const asRole = postgresUrl({ port: server.port, password: 'of-the-role' }, 'aizuchi', serviceRole);
  for (const _start of ['first', 'second']) {
    const client = new pg.Client({ connectionString: admin });
    await client.connect();
    await ensureServiceRole(client, 'aizuchi', 'of-the-role');
    await client.end();
    await migrate(asRole);
  }
  expect(await query(admin, FOREIGN)).toEqual([]);
  // The role sees the same identity of the cluster as before, so no page has to reload.
  expect(await query(asRole, 'select epoch from log_epoch')).toEqual(epoch);
  // A statement that a later migration may contain.
  await query(
    asRole,
    'alter table change_log add note text; alter type mood add value $$merry$$; drop function twice(int); drop table kysely_migration',
  );
  const database = openDatabase({ url: asRole, maxConnections: 1 });
  expect(await database.db.selectFrom('projects').select('id').execute()).toEqual([]);
  await database.close();
  expect(await readFile(join(folder, 'postgres.log'), 'utf8')).not.toContain('of-the-role');
});
