import { type Selectable, sql } from 'kysely';
import type { Database, Queryable } from '../../platform/db/database.ts';
import type { Coordinators } from '../../platform/db/schema.ts';
import type { IdHolder } from './rules/coordinator-id.ts';

/** The row of an id, in its state before a beat. */
export interface HolderRow extends IdHolder {
  readonly capacity: number;
  readonly used: number;
}

/** The identity that a Coordinator states in its beats. */
export interface CoordinatorClaim {
  readonly coordinatorId: string;
  readonly host: string;
  readonly bootId: string;
  /** The home in which it keeps its state; absent where it names none. */
  readonly instanceId?: string | undefined;
}

export function lockCoordinator(db: Queryable, id: string): Promise<HolderRow | undefined> {
  return db
    .selectFrom('coordinators')
    .select(['host', 'bootId', 'instanceId', 'lastSeenAt', 'lostAt', 'capacity', 'used'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

export function findHolder(
  db: Queryable,
  id: string,
): Promise<Pick<HolderRow, 'host' | 'instanceId' | 'lastSeenAt'> | undefined> {
  return db
    .selectFrom('coordinators')
    .select(['host', 'instanceId', 'lastSeenAt'])
    .where('id', '=', id)
    .executeTakeFirst();
}

/** False: another call was faster. */
export async function insertCoordinator(
  db: Queryable,
  coordinator: CoordinatorClaim & { capacity: number },
  now: Date,
): Promise<boolean> {
  const made = await db
    .insertInto('coordinators')
    .values({
      id: coordinator.coordinatorId,
      host: coordinator.host,
      bootId: coordinator.bootId,
      instanceId: coordinator.instanceId ?? null,
      capacity: coordinator.capacity,
      registeredAt: now,
      lastSeenAt: now,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst();
  return made !== undefined;
}

/** Stores a beat: what the Coordinator says of itself, and that it lives. */
export async function saveBeat(
  db: Queryable,
  beat: CoordinatorClaim & {
    labels: readonly string[];
    roots: readonly string[];
    executor?: string | undefined;
    capacity: number;
    running: readonly string[];
  },
  now: Date,
): Promise<void> {
  await db
    .updateTable('coordinators')
    .set({
      host: beat.host,
      bootId: beat.bootId,
      instanceId: beat.instanceId ?? null,
      labels: [...beat.labels],
      roots: [...beat.roots],
      executor: beat.executor ?? 'process',
      capacity: beat.capacity,
      used: beat.running.length,
      lastSeenAt: now,
      silentSince: null,
      lostAt: null,
    })
    .where('id', '=', beat.coordinatorId)
    .execute();
}

/**
 * Stores that it lives, `at` null: by the clock of the database. Does nothing when another Coordinator has
 * taken the id meanwhile. Returns whether it was asked to look for programs and has not answered: one statement, because
 * it is made every two seconds.
 */
export async function touchCoordinator(
  database: Pick<Database, 'statement'>,
  { coordinatorId, host, bootId, instanceId }: CoordinatorClaim,
  at: Date | null,
): Promise<boolean> {
  const [row] = await database.statement<{ is_asked: boolean }>({
    name: 'coordinator-seen',
    text: `update coordinators set last_seen_at = coalesce($1::timestamptz, clock_timestamp()), silent_since = null
      where id = $2 and host = $3 and boot_id = $4 and instance_id is not distinct from $5
      returning exists (select from host_programs p where p.coordinator_id = coordinators.id
        and p.asked_at > coalesce(p.seen_at, '-infinity') and p.asked_at > last_seen_at - interval '1 minute') as is_asked`,
    values: [at, coordinatorId, host, bootId, instanceId ?? null],
  });
  return row?.is_asked === true;
}

/** When nothing happens this runs every two seconds and finds no row: it is one prepared statement. */
export async function isAnythingToDo(
  database: Pick<Database, 'statement'>,
  coordinatorId: string,
  listedSince: Date,
): Promise<boolean> {
  const rows = await database.statement<{ is_any: boolean }>({
    name: 'coordinator-work',
    text: `select exists (select from pending_agent_purposes where started_at is null)
      or exists (select from agent_runs where coordinator_id = $1 and stop_requested_at is not null
        and state <> 'exited')
      or exists (select from agent_runs where coordinator_id = $1 and stop_requested_at > $2
        and state = 'exited')
      or exists (select from worktrees where coordinator_id = $1 and order_kind is not null) as is_any`,
    values: [coordinatorId, listedSince],
  });
  return rows[0]?.is_any === true;
}

export async function isAnySeenSince(db: Queryable, since: Date): Promise<boolean> {
  const alive = await db
    .selectFrom('coordinators')
    .select('id')
    .where('lastSeenAt', '>=', since)
    .limit(1)
    .executeTakeFirst();
  return alive !== undefined;
}

/** Marks those that have newly fallen silent, and returns them. */
export function markSilent(
  db: Queryable,
  { seenBefore, now }: { seenBefore: Date; now: Date },
): Promise<{ id: string }[]> {
  return db
    .updateTable('coordinators')
    .set({ silentSince: now })
    .where('lastSeenAt', '<', seenBefore)
    .where('silentSince', 'is', null)
    .returning('id')
    .execute();
}

/** Those not seen since then and not lost yet, the longest silent first. */
export function silentCoordinators(db: Queryable, seenBefore: Date): Promise<{ id: string }[]> {
  return db
    .selectFrom('coordinators')
    .select('id')
    .where('lastSeenAt', '<', seenBefore)
    .where('lostAt', 'is', null)
    .orderBy('lastSeenAt')
    .orderBy('id')
    .execute();
}

export async function setLost(db: Queryable, id: string, lostAt: Date): Promise<void> {
  await db.updateTable('coordinators').set({ lostAt }).where('id', '=', id).execute();
}

/** Projects that are not archived, with their AI agents. */
export async function activeProjects(
  db: Queryable,
): Promise<{ projectId: string; name: string; workingDirectory: string; agents: string[] }[]> {
  const { rows } = await sql<{
    projectId: string;
    name: string;
    workingDirectory: string;
    agents: string[];
  }>`
    select p.id as project_id, p.name, p.working_directory,
      coalesce(array_agg(a.id order by a.id) filter (where a.id is not null), '{}') as agents
    from projects p
    left join project_agents pa on pa.project_id = p.id
    left join agents a on a.id = pa.agent_id and a.type = 'ai' and a.deleted_at is null
    where p.status <> 'archived' and p.deleted_at is null
    group by p.id order by p.id`.execute(db);
  return rows;
}

/** Whether a member of a project is a person or an agent; undefined: not a member. */
export function findMember(
  db: Queryable,
  membership: { projectId: string; agentId: string },
): Promise<{ type: string } | undefined> {
  return db
    .selectFrom('projectAgents as pa')
    .innerJoin('agents as a', 'a.id', 'pa.agentId')
    .select('a.type')
    .where('pa.projectId', '=', membership.projectId)
    .where('pa.agentId', '=', membership.agentId)
    .executeTakeFirst();
}

/** Every Coordinator that was ever seen, except those forgotten after their retention. */
export function listCoordinators(db: Queryable): Promise<Selectable<Coordinators>[]> {
  return db.selectFrom('coordinators').selectAll().orderBy('id').execute();
}

/**
 * Nearly all beats say nothing new and come right after the end of the previous held call, which counted as a
 * beat too: one prepared read, and nothing is written. Null: something differs from the previous beat, or
 * that one is older than `seenSince`. A caller with the same host, boot and home may hold the id.
 */
export async function findSameBeat(
  database: Pick<Database, 'statement'>,
  beat: CoordinatorClaim & {
    readonly capacity: number;
    readonly running: readonly string[];
    readonly labels: readonly string[];
    readonly roots: readonly string[];
    readonly executor?: string | undefined;
  },
  seenSince: Date,
): Promise<{ hasLiveRuns: boolean } | null> {
  const [row] = await database.statement<{ has_live_runs: boolean }>({
    name: 'same-beat',
    text: `select exists (select from agent_runs r where r.coordinator_id = c.id and r.state <> 'exited') as has_live_runs
      from coordinators c
      where id = $1 and host = $2 and boot_id = $3 and instance_id is not distinct from $4
        and capacity = $5 and used = $6 and labels = $7::text[] and roots = $8::text[]
        and silent_since is null and lost_at is null and last_seen_at >= $9 and executor = $10`,
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
    ],
  });
  return row === undefined ? null : { hasLiveRuns: row.has_live_runs };
}

/** After this time of silence its runs are lost, and their work is given out again. */
export const COORDINATOR_LOST_MS = 45_000;

/** When each Coordinator has been silent that long (core/sweep-step.ts). */
export const LOST_DEADLINES = `select last_seen_at + interval '${COORDINATOR_LOST_MS} ms' as at
  from coordinators where lost_at is null`;
