import { sql } from 'kysely';
import { appendFacts } from '../changes/change-log.ts';
import type { Queryable } from '../db/database.ts';
import { COORDINATOR_SILENT_MS, tellCoordinators } from './coordinator-alive.ts';
import type { ServiceDeps } from './deps.ts';
import { noteRunExit } from './run-exit.ts';
import { nowIn } from './session-lifecycle.ts';

export interface CoordinatorBeat {
  readonly coordinatorId: string;
  readonly host: string;
  readonly bootId: string;
  readonly capacity: number;
  /** Every run that lives there, starting and stopping ones too. */
  readonly running: readonly string[];
  readonly labels: readonly string[];
  readonly roots: readonly string[];
}

/** A run that its Coordinator does not list is given this long to appear before it counts as lost. */
const UNLISTED_GRACE_MS = 5_000;
/** Silent for this long: its runs are lost, their work is given out again. */
const COORDINATOR_LOST_MS = 45_000;

/** A sign of life, and which runs live there; a run that it should have but does not list is lost. */
export async function noteBeat(deps: ServiceDeps, beat: CoordinatorBeat): Promise<void> {
  await deps.database.transaction(async (tx) => {
    const now = await nowIn(tx, deps.clock);
    const { rows } = await sql<{ appeared: boolean; changed: boolean }>`
      with old as (select last_seen_at, capacity, used from coordinators where id = ${beat.coordinatorId})
      insert into coordinators (id, host, boot_id, labels, roots, capacity, used, registered_at, last_seen_at)
      values (${beat.coordinatorId}, ${beat.host}, ${beat.bootId}, ${beat.labels}, ${beat.roots}, ${beat.capacity},
        ${beat.running.length}, ${now}, ${now})
      on conflict (id) do update set host = excluded.host, boot_id = excluded.boot_id, labels = excluded.labels,
        roots = excluded.roots, capacity = excluded.capacity, used = excluded.used,
        last_seen_at = excluded.last_seen_at, silent_since = null, lost_at = null
      returning
        coalesce((select last_seen_at < ${new Date(now.getTime() - COORDINATOR_SILENT_MS)} from old), true) as appeared,
        (select capacity <> ${beat.capacity} or used <> ${beat.running.length} from old) as changed`.execute(
      tx.db,
    );
    if (rows[0]?.appeared) await tellCoordinators(tx);
    else if (rows[0]?.changed) await appendFacts(tx, [{ kind: 'coordinators', projectId: null, ref: {} }]);
  });
  await adoptUnnamed(deps, beat);
  await settleUnlisted(deps, beat);
  await stopGivenUp(deps, beat);
}

/**
 * Gives up the runs of a Coordinator that was silent for too long; their work is given out again. It counts as
 * lost only afterwards: who dies in the middle leaves the rest to the next sweep.
 */
export async function loseSilentCoordinators(deps: ServiceDeps): Promise<number> {
  const { db } = deps.database;
  const now = deps.clock.now();
  const before = new Date(now.getTime() - COORDINATOR_LOST_MS);
  const silent = await db
    .selectFrom('coordinators')
    .select('id')
    .where('lastSeenAt', '<', before)
    .where('lostAt', 'is', null)
    .execute();
  let count = 0;
  for (const { id } of silent) {
    for (const run of await liveRuns(db, id))
      await noteRunExit(deps, { runId: run.id, exitCode: null }, 'lost');
    const lost = await db
      .updateTable('coordinators')
      .set({ lostAt: now })
      .where('id', '=', id)
      .where('lastSeenAt', '<', before)
      .where('lostAt', 'is', null)
      .executeTakeFirst();
    count += Number(lost.numUpdatedRows);
  }
  return count;
}

/** Whoever lists a run that was started without naming a Coordinator is its Coordinator: it must hear when to end it. */
async function adoptUnnamed(deps: ServiceDeps, beat: CoordinatorBeat): Promise<void> {
  if (beat.running.length === 0) return;
  await sql`update agent_runs set coordinator_id = ${beat.coordinatorId}
    where id = any(${beat.running}::text[]) and coordinator_id is null`.execute(deps.database.db);
}

async function settleUnlisted(deps: ServiceDeps, beat: CoordinatorBeat): Promise<void> {
  const listed = new Set(beat.running);
  const before = deps.clock.now().getTime() - UNLISTED_GRACE_MS;
  for (const run of await liveRuns(deps.database.db, beat.coordinatorId)) {
    if (!listed.has(run.id) && run.startedAt.getTime() < before)
      await noteRunExit(deps, { runId: run.id, exitCode: null }, 'lost');
  }
}

/**
 * Runs that were given up while their Coordinator was silent but live on there (I-8): asked to end at every beat
 * that still lists them.
 */
async function stopGivenUp(deps: ServiceDeps, beat: CoordinatorBeat): Promise<void> {
  if (beat.running.length === 0) return;
  await sql`update agent_runs set stop_requested_at = ${deps.clock.now()},
      stop_reason = coalesce(stop_reason, exit_cause)
    where id = any(${beat.running}::text[]) and coordinator_id = ${beat.coordinatorId}
      and state = 'exited' and exit_cause in ('lost', 'stalled')`.execute(deps.database.db);
}

async function liveRuns(db: Queryable, coordinatorId: string): Promise<{ id: string; startedAt: Date }[]> {
  return db
    .selectFrom('agentRuns')
    .select(['id', 'startedAt'])
    .where('coordinatorId', '=', coordinatorId)
    .where('state', '<>', 'exited')
    .execute();
}
