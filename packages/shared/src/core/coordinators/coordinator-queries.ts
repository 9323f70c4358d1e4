import { type Selectable, sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';
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
    keepsEgress?: boolean | undefined;
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
      keepsEgress: beat.keepsEgress ?? false,
      capacity: beat.capacity,
      used: beat.running.length,
      lastSeenAt: now,
      silentSince: null,
      lostAt: null,
    })
    .where('id', '=', beat.coordinatorId)
    .execute();
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

/** After this time of silence its runs are lost, and their work is given out again. */
export const COORDINATOR_LOST_MS = 45_000;

/** When each Coordinator has been silent that long (core/sweep-step.ts). */
export const LOST_DEADLINES = `select last_seen_at + interval '${COORDINATOR_LOST_MS} ms' as at
  from coordinators where lost_at is null`;
