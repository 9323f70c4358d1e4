import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { startThrowawayPostgres } from '../../../../scripts/postgres/throwaway-postgres.ts';
import { migrate } from '../platform/db/migrate.ts';
import { REFUSE_OTHER_TRANSITIONS } from './message-transitions.ts';

export interface TestServer {
  readonly adminUrl: string;
  /** A migrated database that every test file clones. */
  readonly template: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    testServers: readonly TestServer[];
  }
}

/**
 * A Postgres for each worker, so that no test file meets another's: the log's horizon, the list of connections and
 * the load are those of a whole server. DATABASE_URL runs the same tests on any other Postgres, one for all.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const count = process.env.DATABASE_URL ? 1 : project.vitest.config.maxWorkers;
  const servers = await allOrNone(Array.from({ length: count }, startServer));
  project.provide(
    'testServers',
    servers.map(({ adminUrl, template }) => ({ adminUrl, template })),
  );
  return () => stopAll(servers);
}

interface RunningServer extends TestServer {
  stop(): Promise<void>;
}

/** Names are random, so that two runs on one server do not meet. */
async function startServer(): Promise<RunningServer> {
  const given = process.env.DATABASE_URL;
  const server = given ? undefined : await startThrowawayPostgres();
  const adminUrl = given || server?.adminUrl || '';
  const template = `aizuchi_template_${randomBytes(6).toString('hex')}`;
  const stop = async () => {
    if (server) await server.stop();
    else await execute(adminUrl, `drop database if exists ${template} with (force)`);
  };
  try {
    await execute(adminUrl, `create database ${template} template template0 encoding 'UTF8'`);
    const url = new URL(adminUrl);
    url.pathname = `/${template}`;
    await migrate(url.href);
    await execute(url.href, REFUSE_OTHER_TRANSITIONS);
  } catch (error) {
    await stop();
    throw error;
  }
  return { adminUrl, template, stop };
}

/** One that does not start leaves none behind. */
async function allOrNone(starts: readonly Promise<RunningServer>[]): Promise<RunningServer[]> {
  const settled = await Promise.allSettled(starts);
  const servers = settled.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
  const failure = settled.find((start) => start.status === 'rejected');
  if (!failure) return servers;
  await stopAll(servers);
  throw failure.reason;
}

async function stopAll(servers: readonly RunningServer[]): Promise<void> {
  await Promise.all(servers.map((server) => server.stop()));
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
