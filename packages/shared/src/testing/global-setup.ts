import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { startThrowawayPostgres } from '../../../../scripts/postgres/throwaway-postgres.ts';
import { migrate } from '../db/migrate.ts';

declare module 'vitest' {
  interface ProvidedContext {
    testDatabase: { adminUrl: string; template: string };
  }
}

/**
 * One server for the whole run, with a migrated template that every test file clones. DATABASE_URL runs the
 * same tests on any other Postgres. Names are random, so that two runs on one server do not meet.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.DATABASE_URL;
  const server = given ? undefined : await startThrowawayPostgres();
  const adminUrl = given || server?.adminUrl || '';
  const template = `aizuchi_template_${randomBytes(6).toString('hex')}`;
  const teardown = async () => {
    if (server) await server.stop();
    else await execute(adminUrl, `drop database if exists ${template} with (force)`);
  };
  try {
    await execute(adminUrl, `create database ${template} template template0 encoding 'UTF8'`);
    const url = new URL(adminUrl);
    url.pathname = `/${template}`;
    await migrate(url.href);
  } catch (error) {
    await teardown();
    throw error;
  }
  project.provide('testDatabase', { adminUrl, template });
  return teardown;
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
