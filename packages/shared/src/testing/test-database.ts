import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import type { TestServer } from './global-setup.ts';

export interface TestDatabase {
  url: string;
  /** Ends every connection to it and removes it. */
  drop(): Promise<void>;
}

/** A migrated, empty database for one test file: `beforeAll` makes it, `afterAll` drops it. */
export async function createTestDatabase(): Promise<TestDatabase> {
  return createDatabase(serverOfThisWorker().template);
}

/** One without a schema, for tests of migrations. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  return createDatabase('template0');
}

async function createDatabase(template: string): Promise<TestDatabase> {
  const { adminUrl } = serverOfThisWorker();
  const name = `aizuchi_test_${randomBytes(6).toString('hex')}`;
  await execute(adminUrl, `create database ${name} template ${template} strategy file_copy`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => execute(adminUrl, `drop database if exists ${name} with (force)`) };
}

function serverOfThisWorker(): TestServer {
  const servers = inject('testServers');
  const server = servers[(Number(process.env.VITEST_POOL_ID) - 1) % servers.length];
  if (!server) throw new Error('The tests of this project begin without a Postgres.');
  return server;
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
