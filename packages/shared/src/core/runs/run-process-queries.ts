import { sql } from 'kysely';
import type { EXECUTORS, RunLimits } from '../../contract/run.ts';
import type { Queryable } from '../../platform/db/database.ts';

/** The process of a run: after a reboot a pid alone may belong to another process. */
export interface RunProcess {
  readonly host: string;
  readonly bootId: string;
  readonly pid: number;
  readonly startTicks: number;
  readonly executor?: (typeof EXECUTORS)[number] | undefined;
  readonly node?: string | undefined;
  /** Of its container. */
  readonly image?: string | undefined;
  readonly limits?: RunLimits | undefined;
}

/** Locks a run whose process is reported; undefined: the run does not exist. */
export function lockStartedRun(
  db: Queryable,
  runId: string,
): Promise<{ projectId: string; agentId: string; state: string; coordinatorId: string | null } | undefined> {
  return db
    .selectFrom('agentRuns')
    .select(['projectId', 'agentId', 'state', 'exitCause', 'coordinatorId'])
    .where('id', '=', runId)
    .forUpdate()
    .executeTakeFirst();
}

export async function setProcess(
  db: Queryable,
  runId: string,
  { host, bootId, pid, startTicks, executor, node, image, limits }: RunProcess,
): Promise<void> {
  await db
    .updateTable('agentRuns')
    .set({
      host,
      bootId,
      pid,
      startTicks,
      executor,
      node,
      image,
      limits: limits && JSON.stringify(limits),
      pullPercent: null,
    })
    .where('id', '=', runId)
    .execute();
}

/** What runs of this Coordinator need, of those that live. */
export async function saveMemory(
  db: Queryable,
  coordinatorId: string,
  readings: readonly { readonly runId: string; readonly memoryMb: number }[],
): Promise<void> {
  await sql`
    update agent_runs r set memory_mb = m.memory_mb, memory_most_mb = greatest(r.memory_most_mb, m.memory_mb)
    from unnest(${readings.map(({ runId }) => runId)}::text[],
      ${readings.map(({ memoryMb }) => memoryMb)}::integer[]) as m (run_id, memory_mb)
    where r.id = m.run_id and r.coordinator_id = ${coordinatorId} and r.state <> 'exited'`.execute(db);
}

export interface PullingRun {
  readonly runId: string;
  readonly percent: number;
}

/**
 * How far the images are that runs of this Coordinator wait for; a run that is not named waits for none. Returns the runs
 * for which this has changed. Those with a process, and those that end, wait for nothing.
 */
export async function savePulling(
  db: Queryable,
  coordinatorId: string,
  pulling: readonly PullingRun[],
): Promise<{ projectId: string; agentId: string; purpose: string }[]> {
  const { rows } = await sql<{ projectId: string; agentId: string; purpose: string }>`
    with changed as (
      select r.id, p.percent
      from agent_runs r
      left join unnest(${pulling.map(({ runId }) => runId)}::text[],
        ${pulling.map(({ percent }) => percent)}::integer[]) as p (run_id, percent) on p.run_id = r.id
      where r.coordinator_id = ${coordinatorId} and r.state = 'starting' and r.pid is null
        and r.pull_percent is distinct from p.percent
      order by r.id for update of r
    )
    update agent_runs r set pull_percent = changed.percent from changed where r.id = changed.id
    returning r.project_id, r.agent_id, r.purpose`.execute(db);
  return rows;
}

/** Runs of a Coordinator that have not exited. */
export function liveRuns(db: Queryable, coordinatorId: string): Promise<{ id: string; startedAt: Date }[]> {
  return db
    .selectFrom('agentRuns')
    .select(['id', 'startedAt'])
    .where('coordinatorId', '=', coordinatorId)
    .where('state', '<>', 'exited')
    .execute();
}

/** Those of these runs that were started without naming a Coordinator become runs of this one. */
export async function adoptRuns(
  db: Queryable,
  coordinatorId: string,
  runIds: readonly string[],
): Promise<void> {
  await sql`update agent_runs set coordinator_id = ${coordinatorId}
    where id = any(${runIds}::text[]) and coordinator_id is null`.execute(db);
}

/** Requests the end of those of these runs that were given up but still live. */
export async function stopGivenUpRuns(
  db: Queryable,
  coordinatorId: string,
  runIds: readonly string[],
  now: Date,
): Promise<void> {
  await sql`update agent_runs set stop_requested_at = ${now},
      stop_reason = coalesce(stop_reason, exit_cause)
    where id = any(${runIds}::text[]) and coordinator_id = ${coordinatorId}
      and state = 'exited' and exit_cause in ('lost', 'stalled')`.execute(db);
}

/**
 * Runs that this Coordinator was asked to stop, and that have not exited, or were asked for after `since`.
 */
export function runsToStop(
  db: Queryable,
  coordinatorId: string,
  since: Date,
): Promise<{ runId: string; stopReason: string | null }[]> {
  return db
    .selectFrom('agentRuns')
    .select(['id as runId', 'stopReason'])
    .where('coordinatorId', '=', coordinatorId)
    .where('stopRequestedAt', 'is not', null)
    .where((eb) => eb.or([eb('state', '<>', 'exited'), eb('stopRequestedAt', '>', since)]))
    .execute();
}

/** The first reason is kept. Empty when the stop was requested before, or the run is over. */
export function setStopRequested(
  db: Queryable,
  runId: string,
  { reason, now }: { reason: string; now: Date },
): Promise<{ projectId: string; agentId: string }[]> {
  return db
    .updateTable('agentRuns')
    .set({ stopRequestedAt: now, stopReason: reason, state: 'stopping' })
    .where('id', '=', runId)
    .where('state', '<>', 'exited')
    .where('stopRequestedAt', 'is', null)
    .returning(['projectId', 'agentId'])
    .execute();
}
