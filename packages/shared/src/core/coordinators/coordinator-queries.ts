import { type Selectable, sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';
import type { Coordinators } from '../../platform/db/schema.ts';
import type { IdHolder } from './rules/coordinator-id.ts';

/** The row of an id, as it was before a beat. */
export interface HolderRow extends IdHolder {
  readonly capacity: number;
  readonly used: number;
}

/** What a Coordinator names itself by in its beats. */
export interface CoordinatorClaim {
  readonly coordinatorId: string;
  readonly host: string;
  readonly bootId: string;
  /** The home it keeps its state in; absent where it names none. */
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

/** False: another one was faster. */
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

/** A beat: what it says of itself, and that it lives. */
export async function saveBeat(
  db: Queryable,
  beat: CoordinatorClaim & {
    labels: readonly string[];
    roots: readonly string[];
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
      capacity: beat.capacity,
      used: beat.running.length,
      lastSeenAt: now,
      silentSince: null,
      lostAt: null,
    })
    .where('id', '=', beat.coordinatorId)
    .execute();
}

/** A sign of life; nothing when another Coordinator has taken the id over meanwhile. */
export async function touchCoordinator(
  db: Queryable,
  coordinator: CoordinatorClaim,
  now: Date,
): Promise<void> {
  await db
    .updateTable('coordinators')
    .set({ lastSeenAt: now, silentSince: null })
    .where('id', '=', coordinator.coordinatorId)
    .where('host', '=', coordinator.host)
    .where('bootId', '=', coordinator.bootId)
    .where('instanceId', 'is not distinct from', coordinator.instanceId ?? null)
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

/** Whether a member of a project is a person or an agent; undefined: no member. */
export function findMember(
  db: Queryable,
  pair: { projectId: string; agentId: string },
): Promise<{ type: string } | undefined> {
  return db
    .selectFrom('projectAgents as pa')
    .innerJoin('agents as a', 'a.id', 'pa.agentId')
    .select('a.type')
    .where('pa.projectId', '=', pair.projectId)
    .where('pa.agentId', '=', pair.agentId)
    .executeTakeFirst();
}

/** Every Coordinator that was ever seen and not long ago forgotten. */
export function listCoordinators(db: Queryable): Promise<Selectable<Coordinators>[]> {
  return db.selectFrom('coordinators').selectAll().orderBy('id').execute();
}
