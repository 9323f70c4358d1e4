import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import pg from 'pg';
import { preparedName } from './prepared.ts';

/** `connection` stands for one lease: all statements of a transaction have the same. */
export type StatementListener = (connection: object, text: string) => void;

/**
 * The pool in the form that Kysely needs. Kysely returns every connection as if it were idle, but after a
 * statement that was given up (`query_timeout`) it is not: a late BEGIN would make the next user work inside
 * a transaction that nobody commits, and acknowledge data that is never stored. Such a connection is
 * destroyed, as `pool.query` does by itself.
 */
export function kyselyPool(pool: pg.Pool, onStatement?: StatementListener): PostgresPool {
  return {
    options: pool.options,
    connect: async () => new LeasedConnection(await pool.connect(), onStatement),
    end: () => pool.end(),
  };
}

/** From connect() to release(). */
class LeasedConnection implements PostgresPoolClient {
  readonly #client: pg.PoolClient;
  readonly #onStatement: StatementListener | undefined;
  #isUncertain = false;

  constructor(client: pg.PoolClient, onStatement: StatementListener | undefined) {
    this.#client = client;
    this.#onStatement = onStatement;
  }

  query<R>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  query<R>(
    query: string | PostgresCursor<R>,
    parameters: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<R>> | PostgresCursor<R> {
    const client: PostgresPoolClient = this.#client;
    return typeof query === 'string' ? this.#run<R>(query, parameters) : client.query(query);
  }

  release(destroy = false): void {
    this.#client.release(destroy || this.#isUncertain);
  }

  async #run<R>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>> {
    this.#onStatement?.(this, text);
    const client: PostgresPoolClient = this.#client;
    const name = preparedName(text);
    try {
      return await (name === undefined
        ? client.query<R>(text, parameters)
        : readPrepared<R>(this.#client, { name, text, values: [...parameters] }));
    } catch (error) {
      // After any error that Postgres did not report itself, it is unknown what the connection is still
      // doing.
      if (!(error instanceof pg.DatabaseError) || isLastWord(error)) this.#isUncertain = true;
      throw error;
    }
  }
}

async function readPrepared<R>(
  client: pg.PoolClient,
  query: pg.QueryConfig,
): Promise<PostgresQueryResult<R>> {
  const { rowCount, rows } = await client.query<R & object>(query);
  return { command: 'SELECT', rowCount: rowCount ?? 0, rows };
}

/**
 * Compared by code, because the word FATAL is in the language of the server: stopped, killed, dropped; a
 * transaction that was too long.
 */
const LAST_WORDS = /^(?:57P\d\d|25P0[34])$/;

/** It ends the connection: the pool learns that a moment later, and would lend it until then. */
function isLastWord({ code }: pg.DatabaseError): boolean {
  return code !== undefined && LAST_WORDS.test(code);
}
