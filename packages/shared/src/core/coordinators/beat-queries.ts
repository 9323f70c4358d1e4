import type { Database } from '../../platform/db/database.ts';
import type { CoordinatorClaim } from './coordinator-queries.ts';

/* The statements of a Coordinator for which nothing happens: every two seconds, and prepared. */

/** What a beat says about its Coordinator. */
interface StatedBeat extends CoordinatorClaim {
  readonly capacity: number;
  readonly running: readonly string[];
  readonly labels: readonly string[];
  readonly roots: readonly string[];
  readonly executor?: string | undefined;
  readonly keepsEgress?: boolean | undefined;
}

type Prepared = Pick<Database, 'statement'>;

/** Of `c`, a row of coordinators. */
const HAS_LIVE_RUNS = `exists (select from agent_runs r where r.coordinator_id = c.id and r.state <> 'exited')`;

function hasWork(coordinatorId: string, listedSince: string): string {
  return `exists (select from pending_agent_purposes where started_at is null)
    or exists (select from agent_runs where coordinator_id = ${coordinatorId} and stop_requested_at is not null
      and state <> 'exited')
    or exists (select from agent_runs where coordinator_id = ${coordinatorId} and stop_requested_at > ${listedSince}
      and state = 'exited')
    or exists (select from worktrees where coordinator_id = ${coordinatorId} and order_kind is not null)`;
}

interface Seen {
  /** It was asked to look for programs and has not answered. */
  readonly isAsked: boolean;
  /** A beat that says the same at once would find nothing to store and no run of its own. */
  readonly isAtRest: boolean;
  /** See isAnythingToDo. */
  readonly hasWork: boolean;
  readonly at: Date;
}

/**
 * Stores that it lives, `at` null: by the clock of the database. Undefined, and nothing is stored: another Coordinator has
 * taken the id meanwhile.
 */
export async function touchCoordinator(
  database: Prepared,
  {
    coordinatorId,
    host,
    bootId,
    instanceId,
    capacity,
    running,
    labels,
    roots,
    executor,
    keepsEgress,
  }: StatedBeat,
  { at, listedSince }: { readonly at: Date | null; readonly listedSince: Date },
): Promise<Seen | undefined> {
  const [row] = await database.statement<{
    is_asked: boolean;
    is_at_rest: boolean;
    has_work: boolean;
    last_seen_at: Date;
  }>({
    name: 'coordinator-seen',
    text: `update coordinators c set last_seen_at = coalesce($1::timestamptz, clock_timestamp()), silent_since = null
      where id = $2 and host = $3 and boot_id = $4 and instance_id is not distinct from $5
      returning exists (select from host_programs p where p.coordinator_id = c.id
          and p.asked_at > coalesce(p.seen_at, '-infinity') and p.asked_at > c.last_seen_at - interval '1 minute') as is_asked,
        capacity = $6 and used = $7 and labels = $8::text[] and roots = $9::text[] and executor = $11 and keeps_egress = $12
          and lost_at is null
          and not ${HAS_LIVE_RUNS} as is_at_rest,
        (${hasWork('$2', '$10')}) as has_work, c.last_seen_at`,
    values: [
      at,
      coordinatorId,
      host,
      bootId,
      instanceId ?? null,
      capacity,
      running.length,
      [...labels],
      [...roots],
      listedSince,
      executor ?? 'process',
      keepsEgress ?? false,
    ],
  });
  return (
    row && {
      isAsked: row.is_asked,
      isAtRest: row.is_at_rest,
      hasWork: row.has_work,
      at: row.last_seen_at,
    }
  );
}

/** Whether there may be something for this Coordinator to start, to stop or to carry out. */
export async function isAnythingToDo(
  database: Prepared,
  coordinatorId: string,
  listedSince: Date,
): Promise<boolean> {
  const rows = await database.statement<{ is_any: boolean }>({
    name: 'coordinator-work',
    text: `select ${hasWork('$1', '$2')} as is_any`,
    values: [coordinatorId, listedSince],
  });
  return rows[0]?.is_any === true;
}

/**
 * Nearly all beats say nothing new and come right after the end of the previous held call, which counted as a
 * beat too: one prepared read, and nothing is written. Null: something differs from the previous beat, or
 * that one is older than `seenSince`. A caller with the same host, boot and home may hold the id.
 */
export async function findSameBeat(
  database: Prepared,
  beat: StatedBeat,
  seenSince: Date,
): Promise<{ hasLiveRuns: boolean } | null> {
  const [row] = await database.statement<{ has_live_runs: boolean }>({
    name: 'same-beat',
    text: `select ${HAS_LIVE_RUNS} as has_live_runs
      from coordinators c
      where id = $1 and host = $2 and boot_id = $3 and instance_id is not distinct from $4
        and capacity = $5 and used = $6 and labels = $7::text[] and roots = $8::text[]
        and silent_since is null and lost_at is null and last_seen_at >= $9 and executor = $10 and keeps_egress = $11`,
    values: [
      beat.coordinatorId,
      beat.host,
      beat.bootId,
      beat.instanceId ?? null,
      beat.capacity,
      beat.running.length,
      [...beat.labels],
      [...beat.roots],
      seenSince,
      beat.executor ?? 'process',
      beat.keepsEgress ?? false,
    ],
  });
  return row === undefined ? null : { hasLiveRuns: row.has_live_runs };
}
