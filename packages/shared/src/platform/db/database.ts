import { setTimeout as sleep } from 'node:timers/promises';
import { CamelCasePlugin, Kysely, PostgresDialect, sql, type Transaction } from 'kysely';
import pg from 'pg';
import type { Clock } from '../clock.ts';
import { kyselyPool, type StatementListener } from './kysely-pool.ts';
import type { DB } from './schema.ts';

/** A handle that reads and writes: the pool, or one transaction. Repositories take this. */
export type Queryable = Kysely<DB>;

/** One business transaction: its handle, and what other parts of the system must learn after the commit. */
export interface Tx {
  readonly db: Transaction<DB>;
  /** The time of a decision: read it after the row locks of this transaction (see DatabaseOptions.clock). */
  now(): Promise<Date>;
  /** Wakes readers of this key after commit (see platform/change-log/keys.ts); never before, never on rollback. */
  dirty(key: string): void;
  /** Runs after commit, in order; for effects outside the database. Must not throw. */
  afterCommit(effect: () => void): void;
}

export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
  /** Once it is aborted the statement is not sent any more. */
  readonly signal?: AbortSignal | undefined;
}

export interface Database {
  readonly db: Queryable;
  readonly pool: pg.Pool;
  readonly url: string;
  /**
   * Runs `work` in one transaction (read committed) and hands the dirty keys to `onCommit` afterwards.
   * Retries once on a serialisation failure or deadlock, so `work` must not touch anything outside.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * Runs one prepared statement of a hot path as a transaction of its own: rows in snake_case, no
   * notification. Retried once like a transaction.
   */
  statement<R extends pg.QueryResultRow>(query: Statement): Promise<R[]>;
  now(): Promise<Date>;
  /** Called with the dirty keys after each commit; set once by the notifier. */
  onCommit: (keys: ReadonlySet<string>) => void;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly url: string;
  readonly maxConnections?: number;
  readonly applicationName?: string;
  /** Upper bound of one transaction; 0 = none (migrations). */
  readonly transactionTimeoutMs?: number;
  /** Upper bound of one statement; absent: what the database is set to. */
  readonly statementTimeoutMs?: number;
  /**
   * Statements read by an index wherever one serves. For prepared statements on tables that grow quickly: until they are
   * analyzed, a plan that was made when they were small would read the whole table.
   */
  readonly avoidTableScans?: boolean;
  /** Whose time `now()` is. Default: that of the database server, so that several hosts agree. */
  readonly clock?: Clock;
  /** Called with every statement before it is sent; for tests. */
  readonly onStatement?: StatementListener;
}

const QUERY_TIMEOUT_MARGIN_MS = 1_000;
/** For a connection of the pool, free or new. */
const CONNECTION_TIMEOUT_MS = 5_000;
/** These stay open: a new connection signs in, and plans each prepared statement anew (bench `idle`). */
const KEPT_CONNECTIONS = 3;
/**
 * The least that Postgres allows. Each look into a GIN index reads its pending entries: of the usual 4 MB the planner
 * rather reads the whole table.
 */
const PENDING_LIST_KB = 64;
/** It takes a second to detect one deadlock, so a third attempt would take longer than a caller waits. */
const MAX_ATTEMPTS = 3;
const RETRY_PAUSE_MS = 20;
const DEADLOCK_OR_SERIALIZATION = new Set(['40P01', '40001']);

// int8 as number: sequences and byte offsets stay far below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** Opens a pool; connects lazily, so a database that is away shows at the first query. */
export function openDatabase(options: DatabaseOptions): Database {
  const timeout = options.transactionTimeoutMs ?? 5_000;
  const { maxConnections = 10, statementTimeoutMs } = options;
  const settings = {
    transaction_timeout: timeout,
    idle_in_transaction_session_timeout: timeout,
    gin_pending_list_limit: PENDING_LIST_KB,
    ...(options.avoidTableScans && { enable_seqscan: 'off' }),
    ...(statementTimeoutMs !== undefined && { statement_timeout: statementTimeoutMs }),
  };
  const pool = new pg.Pool({
    connectionString: options.url,
    max: maxConnections,
    min: Math.min(KEPT_CONNECTIONS, maxConnections),
    application_name: options.applicationName ?? 'aizuchi',
    // Whoever may wait long for a transaction may wait as long for a connection; without a bound it is the least.
    connectionTimeoutMillis: Math.max(CONNECTION_TIMEOUT_MS, timeout),
    idleTimeoutMillis: 60_000,
    // Longer than the limit of Postgres itself: it is reached only when Postgres is there but does not
    // answer.
    ...(timeout > 0 && { query_timeout: timeout + QUERY_TIMEOUT_MARGIN_MS }),
    options: Object.entries(settings)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
  });
  // An idle connection that breaks (Postgres restarted) is replaced by the pool at the next query.
  pool.on('error', () => undefined);
  // A connection that breaks while it is used fails its query; without a listener its 'error' would end the
  // process too.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const db = new Kysely<DB>({
    dialect: new PostgresDialect({ pool: kyselyPool(pool, options.onStatement) }),
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  });

  const { clock } = options;
  const now = clock ? async () => clock.now() : serverTime;
  const database: Database = {
    db,
    pool,
    url: options.url,
    onCommit: () => undefined,
    close: () => db.destroy(),
    transaction: (work) => retried(() => runOnce(database, work, now)),
    // Prepared, because calls that run often begin with it.
    now: clock ? async () => clock.now() : async () => theTime(await database.statement(TIME)),
    statement: ({ signal, ...query }) => retried(() => runStatement(pool, query, signal)),
  };
  return database;
}

/**
 * A transaction that the database rolled back by itself is run again after a moment: at once it could lock
 * the row again that the other transaction of the deadlock was just given, before that one has woken up.
 */
async function retried<T>(action: () => Promise<T>, attempt = 1): Promise<T> {
  try {
    return await action();
  } catch (error) {
    const isUndone = error instanceof pg.DatabaseError && DEADLOCK_OR_SERIALIZATION.has(error.code ?? '');
    if (!isUndone || attempt === MAX_ATTEMPTS) throw error;
    await sleep(RETRY_PAUSE_MS * (attempt + Math.random()));
    return retried(action, attempt + 1);
  }
}

/**
 * Postgres reports an error before it releases the locks: a retry at once, on another connection, would find
 * the rows still locked. So the error is passed on when the connection is idle, and the same connection is
 * used again.
 */
async function runStatement<R extends pg.QueryResultRow>(
  pool: pg.Pool,
  query: pg.QueryConfig,
  signal?: AbortSignal,
): Promise<R[]> {
  signal?.throwIfAborted();
  const client = await pool.connect();
  let isAtRest = true;
  try {
    // It may have waited for the connection.
    signal?.throwIfAborted();
    isAtRest = false;
    const { rows } = await client.query<R>(query);
    isAtRest = true;
    return rows;
  } catch (error) {
    if (error instanceof pg.DatabaseError) isAtRest = await client.query('').then(Boolean, () => false);
    throw error;
  } finally {
    client.release(!isAtRest);
  }
}

async function runOnce<T>(
  database: Database,
  work: (tx: Tx) => Promise<T>,
  now: (db: Queryable) => Promise<Date>,
): Promise<T> {
  const keys = new Set<string>();
  const effects: (() => void)[] = [];
  const result = await database.db.transaction().execute((trx) =>
    work({
      db: trx,
      now: () => now(trx),
      dirty: (key) => void keys.add(key),
      afterCommit: (effect) => void effects.push(effect),
    }),
  );
  if (keys.size > 0) database.onCommit(keys);
  for (const effect of effects) effect();
  return result;
}

const TIME = { name: 'now', text: 'select clock_timestamp() as now', values: [] };

async function serverTime(db: Queryable): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db);
  return theTime(rows);
}

function theTime([row]: readonly { now: Date }[]): Date {
  if (!row) throw new Error('the database returned no time');
  return row.now;
}

/** Postgres reported that this value exists already. `constraint` restricts it to one index. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  return (
    error instanceof pg.DatabaseError &&
    error.code === '23505' &&
    (constraint === undefined || error.constraint === constraint)
  );
}

/** The database cannot be reached or is going down: the caller answers 503 and tries again. */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return /^(08|57P0|53)/.test(error.code ?? '');
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return (
    /^E(CONNREFUSED|CONNRESET|PIPE|TIMEDOUT|NOTFOUND|HOSTUNREACH)$/.test(code) ||
    /Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error/.test(
      error.message,
    )
  );
}

/**
 * SQLSTATEs of values that Postgres cannot store: U+0000, a lone surrogate, a number beyond its column. This is always an
 * error of the caller.
 */
const UNSTORABLE = new Set(['22021', '22P05', '22003']);
const TRANSACTION_TIMEOUT = '25P04';

/** What a transport tells its caller about an error of the database; undefined: it is none of these. */
export function databaseFaultOf(error: unknown): 'away' | 'unstorable' | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (isDatabaseAway(error) || code === TRANSACTION_TIMEOUT) return 'away';
  return UNSTORABLE.has(code) ? 'unstorable' : undefined;
}
