import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@aizuchi/shared/platform/logger';
import { ExitError, exitCodes } from '@aizuchi/shared/platform/process-lifecycle';
import pg from 'pg';
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  postgresUrl,
  startEmbeddedPostgres,
} from '../postgres/embedded-postgres.ts';
import { PostgresError } from '../postgres/postgres-error.ts';
import { ensureServiceRole, serviceRole } from '../postgres/service-role.ts';
import type { Home } from './home.ts';
import { restartDelayMs } from './restart-delay.ts';

const oldestVersion = 17;
const databaseName = 'aizuchi';

export interface Database {
  url: string;
  stop(): Promise<void>;
}

/** Connects to a server that is not ours; throws unless the product can work on it. */
export async function useForeignDatabase(url: string): Promise<Database> {
  await checkServer(url);
  return { url, stop: async () => undefined };
}

/**
 * Starts our own server, and restarts it whenever it ends, on the same port: the services hold it in their url, which
 * names a role without the superuser's rights.
 */
export async function startOwnDatabase(
  home: Home,
  passwords: { readonly superuser: string; readonly services: string },
  context: { logger: Logger; signal: AbortSignal },
): Promise<Database> {
  const options: EmbeddedPostgresOptions = {
    dataDir: join(home.data, 'postgres'),
    copyInto: home.bin,
    logFile: join(home.logs, 'postgres.log'),
    password: passwords.superuser,
    durable: true,
  };
  const { logger, signal } = context;
  const stopping = new AbortController();
  let server = await asDatabaseError(startEmbeddedPostgres({ ...options, signal }));
  logger.info({ port: server.port, postgresPid: server.pid, adopted: server.isAdopted }, 'database serves');
  const watching = keepAlive(options, server, {
    signal: stopping.signal,
    logger,
    onRestart: (restarted) => {
      server = restarted;
    },
  });
  const stop = async () => {
    stopping.abort();
    await server.stop();
    await watching;
  };
  try {
    const { port } = server;
    const asSuperuser = { port, password: passwords.superuser };
    await ensureDatabase(postgresUrl(asSuperuser, 'postgres'));
    await withClient(postgresUrl(asSuperuser, databaseName), (client) =>
      ensureServiceRole(client, databaseName, passwords.services),
    );
    const url = postgresUrl({ port, password: passwords.services }, databaseName, serviceRole);
    await checkServer(url);
    return { url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function keepAlive(
  options: EmbeddedPostgresOptions,
  first: EmbeddedPostgres,
  context: { signal: AbortSignal; logger: Logger; onRestart: (server: EmbeddedPostgres) => void },
): Promise<void> {
  const { signal, logger } = context;
  let server = first;
  for (let failures = 0; ; ) {
    await server.exited;
    while (!signal.aborted) {
      logger.error({ failures }, 'database ended, restarting it');
      await sleep(restartDelayMs(failures), undefined, { signal }).catch(() => signal.aborted);
      if (signal.aborted) return;
      try {
        server = await startEmbeddedPostgres({ ...options, port: first.port, signal });
        failures = 0;
        break;
      } catch (error) {
        failures += 1;
        logger.error({ err: error }, 'database did not start');
      }
    }
    context.onRestart(server);
    if (signal.aborted) return server.stop();
    logger.info({ postgresPid: server.pid }, 'database serves again');
  }
}

async function ensureDatabase(adminUrl: string): Promise<void> {
  await withClient(adminUrl, async (client) => {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [databaseName]);
    if (!rowCount) await client.query(`create database ${databaseName} template template0 encoding 'UTF8'`);
  });
}

/** True if the role in the url is a superuser of its server. A role that owns its database is enough. */
export async function isSuperuser(url: string): Promise<boolean> {
  let found = false;
  await withClient(url, async (client) => {
    const { rows } = await client.query<{ rolsuper: boolean }>(
      'select rolsuper from pg_roles where rolname = current_user',
    );
    found = rows[0]?.rolsuper ?? false;
  });
  return found;
}

async function checkServer(url: string): Promise<void> {
  await withClient(url, async (client) => {
    const { rows } = await client.query<{ version: string; encoding: string }>(
      `select current_setting('server_version') as version, current_setting('server_encoding') as encoding`,
    );
    const { version = '', encoding = '' } = rows[0] ?? {};
    if (Number.parseInt(version, 10) < oldestVersion) {
      throw databaseError(`The database is Postgres ${version}; Aizuchi needs ${oldestVersion} or newer.`);
    }
    if (encoding !== 'UTF8')
      throw databaseError(`The database's encoding is ${encoding}; Aizuchi needs UTF8.`);
  });
}

async function withClient(url: string, use: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  // A connection that breaks while idle is reported here, and again by the next query that uses it.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await use(client);
  } catch (error) {
    throw error instanceof ExitError ? error : databaseError(connectionSentence(url, error), error);
  } finally {
    await client.end();
  }
}

function connectionSentence(url: string, error: unknown): string {
  const { hostname, port, pathname } = new URL(url);
  const reason = error instanceof AggregateError ? error.errors[0] : error;
  const message = reason instanceof Error ? reason.message : String(reason);
  return `The database ${hostname}:${port || 5432}${pathname} cannot be used: ${message}.`;
}

/** Turns the launcher's errors into errors with the exit code of the database. */
export async function asDatabaseError<T>(promise: Promise<T>): Promise<T> {
  return promise.catch((error: unknown) => {
    throw error instanceof PostgresError ? databaseError(error.message, error) : error;
  });
}

function databaseError(sentence: string, cause?: unknown): ExitError {
  return new ExitError(exitCodes.database, sentence, { cause });
}
