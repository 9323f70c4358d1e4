import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { prune, pruning } from '../../src/core/sweeper/prune.ts';
import { Sweeper } from '../../src/core/sweeper/sweeper.ts';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';
import { LONG_TIMEOUT_MS } from '../../src/testing/timeouts.ts';
import { rawClient } from '../chat/chat-support.ts';

/** What a statement may take in these tests; by default Postgres ends a transaction after five seconds. */
const LIMIT_MS = 50;

let world: ServiceWorld;
let database: Database;
let sweeper: Sweeper;
beforeEach(async () => {
  world = await ServiceWorld.create();
  database = openDatabase({
    clock: world.clock,
    url: world.database.url,
    transactionTimeoutMs: LONG_TIMEOUT_MS,
  });
  sweeper = new Sweeper({ ...world.deps, database }, { pruned: prune });
});
afterEach(async () => {
  await database.close();
  await world.close();
});

/** From now on for connections that are made now; those of `world.database` that stand have none. */
async function limitStatements(): Promise<void> {
  const name = new URL(world.database.url).pathname.slice(1);
  await sql`alter database ${sql.ref(name)} set statement_timeout = ${sql.lit(LIMIT_MS)}`.execute(
    world.database.db,
  );
}

async function fillLog(count: number, age: string): Promise<void> {
  await sql`insert into change_log (project_id, kind, ref, created_at)
    select 'prj', 'message', '{"messageId": "msg"}', now() - ${age}::interval from generate_series(1, ${count})`.execute(
    world.database.db,
  );
}

async function countLog(): Promise<number> {
  const { rows } = await world.database.pool.query('select count(*)::int as count from change_log');
  return rows[0].count;
}

/** Rounds until nothing is left; no statement of them can take longer than the limit. In vain: the test's own limit. */
async function roundsUntilDone(isDone: () => Promise<boolean>): Promise<void> {
  while (!(await isDone())) await sweeper.runOnce();
}

describe('the change log (trap 25)', () => {
  it('is pruned over as many rounds as it needs, where one statement could not', async () => {
    for (let chunk = 0; chunk < 5; chunk += 1) await fillLog(20_000, '3 days');
    await fillLog(10, '1 hour');
    await limitStatements();
    // A disk in memory deletes all of them within the limit of the rounds, but no machine within this one.
    const atOnce = database.db.transaction().execute(async (tx) => {
      await sql`set local statement_timeout = 5`.execute(tx);
      await sql`delete from change_log where created_at < now() - interval '2 days'`.execute(tx);
    });
    await expect(atOnce).rejects.toMatchObject({ code: '57014' });
    await roundsUntilDone(async () => (await countLog()) === 10);
  });

  it('is pruned in short transactions: its readers wait for each of them', async () => {
    await fillLog(25_000, '3 days');
    const { db, pool } = world.database;
    await sql`create table batches (xid xid8, gone int)`.execute(db);
    await sql`create function note_batch() returns trigger language plpgsql as $$
      begin
        insert into batches select pg_current_xact_id(), count(*) from gone;
        return null;
      end $$`.execute(db);
    await sql`create trigger note_batch after delete on change_log referencing old table as gone
      for each statement execute function note_batch()`.execute(db);
    await roundsUntilDone(async () => (await countLog()) === 0);
    const { rows } = await pool.query<{ gone: number }>(
      'select sum(gone)::int as gone from batches group by xid',
    );
    expect(rows.reduce((sum, { gone }) => sum + gone, 0)).toBe(25_000);
    expect(Math.max(...rows.map(({ gone }) => gone))).toBeLessThanOrEqual(10_000);
  });

  it('goes on with fewer rows at once where even some hundred take too long', async () => {
    await fillLog(400, '3 days');
    await limitStatements();
    // A disk that takes 2 ms a row: the first batch cannot end within the limit.
    await sql`create function slow() returns trigger language plpgsql as $$
      begin perform pg_sleep(0.002); return old; end $$`.execute(world.database.db);
    await sql`create trigger slow before delete on change_log for each row execute function slow()`.execute(
      world.database.db,
    );
    await roundsUntilDone(async () => (await countLog()) === 0);
    expect(sweeper.skipped.get('pruned')).toBeGreaterThan(0);
  });

  it('is pruned by one process at a time, and nobody waits for the other', async () => {
    await fillLog(100, '3 days');
    const other = await rawClient(world);
    await other.query('begin');
    // The other one is in the middle of its batch.
    await other.query('select pg_advisory_xact_lock(4712001)');
    expect((await sweeper.runOnce()).pruned).toBe(0);
    expect(await countLog()).toBe(100);
    await other.query('rollback');
    await other.end();
    await roundsUntilDone(async () => {
      world.clock.advance(600_000);
      return (await countLog()) === 0;
    });
  });

  it('is pruned to its end, whichever of two processes is at it', async () => {
    const endless = { pruned: () => pruning(Number.POSITIVE_INFINITY) };
    const create = () => new Sweeper(world.deps, endless);
    const [first, second] = [create(), create()];
    for (let time = 0; time < 5; time += 1) {
      await fillLog(8_000, '3 days');
      world.clock.advance(600_000);
      for (let pruned = 1; pruned > 0; ) {
        const both = await Promise.all([first.runOnce(), second.runOnce()]);
        pruned = both[0].pruned + both[1].pruned;
      }
      expect(await countLog()).toBe(0);
    }
  });

  it('is not held up by another table that cannot be pruned, nor by one that is locked', async () => {
    await fillLog(1_000, '3 days');
    await sql`insert into sign_in_failures values ('a', 'b', 1, now() - interval '3 days')`.execute(
      world.database.db,
    );
    const other = await rawClient(world);
    await other.query('begin');
    await other.query('lock table sign_in_failures');
    // A round that is slow ends before it comes to the other table.
    const isSkipped = () => (sweeper.skipped.get('pruned') ?? 0) > 0;
    await roundsUntilDone(async () => isSkipped() && (await countLog()) === 0);
    await other.query('rollback');
    await other.end();
    await roundsUntilDone(async () => {
      const { rows } = await world.database.pool.query('select from sign_in_failures');
      return rows.length === 0;
    });
  });
});

describe('every other table', () => {
  it('is pruned over as many rounds as it needs, with what hangs on it', async () => {
    await sql`insert into agents (id, type, name, provider) values ('agt', 'ai', 'Old', 'builtin')`.execute(
      world.database.db,
    );
    await sql`insert into projects (id, name, working_directory) values ('prj', 'Old', '/nowhere')`.execute(
      world.database.db,
    );
    await sql`insert into agent_runs (id, agent_id, project_id, purpose, provider, state, exit_cause, ended_at)
      select 'run_' || n, 'agt', 'prj', 'chat', 'builtin', 'exited', 'finished', now() - interval '40 days'
      from generate_series(1, 700) n`.execute(world.database.db);
    await sql`insert into agent_sessions (id, agent_id, project_id, purpose, state, run_id, ended_at)
      select 'ses_' || n, 'agt', 'prj', 'chat', 'ended', 'run_' || n, now() - interval '40 days' + n * interval '1 s'
      from generate_series(1, 700) n`.execute(world.database.db);
    await sql`insert into launch_tickets (ticket_hash, run_id, agent_id, project_id, session_id, revoked_at)
      select 'tkt_' || n, 'run_' || n, 'agt', 'prj', 'ses_' || n, now() - interval '40 days'
      from generate_series(1, 700) n`.execute(world.database.db);
    // One session that called a great deal, among those that hardly did.
    await sql`insert into idempotent_results (session_id, idempotency_key, tool, result)
      select 'ses_7', 'k' || n, 'send_message', '{}'::jsonb from generate_series(1, 2000) n
      union all select 'ses_' || n, 'k', 'send_message', '{}' from generate_series(100, 700, 3) n`.execute(
      world.database.db,
    );
    await limitStatements();
    const left = async () => {
      const { rows } = await world.database.pool.query(`select (select count(*) from agent_sessions)
        + (select count(*) from launch_tickets) + (select count(*) from idempotent_results)
        + (select count(*) from agent_runs) as count`);
      return Number(rows[0].count);
    };
    await roundsUntilDone(async () => (await left()) === 0);
  });

  it('is looked at by an index, never row by row', async () => {
    const tables = [
      'agent_sessions',
      'agent_runs',
      'access_tokens',
      'pending_purpose_outcomes',
      'audit_entries',
      'retrieval_runs',
    ];
    await sql`insert into agents (id, type, name, provider) values ('agt', 'ai', 'Busy', 'builtin')`.execute(
      world.database.db,
    );
    await sql`insert into projects (id, name, working_directory) values ('prj', 'Busy', '/nowhere')`.execute(
      world.database.db,
    );
    for (const young of [
      sql`agent_runs (id, agent_id, project_id, purpose, provider, state, exit_cause, ended_at)
        select 'run_' || n, 'agt', 'prj', 'chat', 'builtin', 'exited', 'finished', now()`,
      sql`agent_sessions (id, agent_id, project_id, purpose, state, ended_at)
        select 'ses_' || n, 'agt', 'prj', 'chat', 'ended', now()`,
      sql`access_tokens (id, agent_id, kind, token_hash, revoked_at) select 't' || n, 'agt', 'api', 'h' || n, now()`,
      sql`pending_purpose_outcomes (agent_id, project_id, purpose, task_id, created_at, outcome)
        select 'agt', 'prj', 'chat', '', now(), 'expired'`,
      sql`audit_entries (actor_id, action) select 'owner', 'sign_in.succeeded'`,
      sql`retrieval_runs (id, agent_id, query, plan, plan_source, candidates, timings, errors)
        select 'ret_' || n, 'agt', 'q', '{}', 'rules', '{}', '{}', '{}'`,
    ])
      await sql`insert into ${young} from generate_series(1, 5000) n`.execute(world.database.db);
    await sql`analyze`.execute(world.database.db);
    // One connection: what it has read so far is counted when it says so.
    const one = openDatabase({
      clock: world.clock,
      url: world.database.url,
      maxConnections: 1,
      transactionTimeoutMs: LONG_TIMEOUT_MS,
    });
    const scans = async () => {
      await sql`select pg_stat_force_next_flush()`.execute(one.db);
      const { rows } = await sql<{ relname: string; scans: number }>`select relname, seq_scan as scans
        from pg_stat_user_tables where relname = any(${tables}) order by relname`.execute(one.db);
      return rows;
    };
    const before = await scans();
    const endless = { pruned: () => pruning(Number.POSITIVE_INFINITY) };
    const report = await new Sweeper({ ...world.deps, database: one }, endless).runOnce();
    expect(report.pruned).toBe(0);
    expect(await scans()).toEqual(before);
    await one.close();
  });
});
