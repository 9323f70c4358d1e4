import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';
import { prepared } from '../../platform/db/prepared.ts';
import type { MembershipKey, WorkKey } from '../rules/work-key.ts';
import { LOOK_TIME_SQL } from '../sweep-step.ts';
import { mayTake } from './needs-queries.ts';
import { aliveSince, used } from './place-queries.ts';
import {
  isBeforeSql,
  isStartable,
  isToAskFor,
  isWithinTaskLimitSql,
  mayRunSql,
  queuedAtSql,
  queueOrderSql,
} from './startable-queries.ts';

/*
 * The order of starts: wake-ups are named to Coordinators in the order of their creation, over all projects.
 * Those without a place wait in the queue (`held_for = 'capacity'`); a place that becomes free goes to the
 * oldest of them.
 */

/**
 * Memberships with a row for which a Coordinator should ask, the next one first. Without the queue: rows that
 * have not been held for a place.
 */
export async function startableMemberships(
  db: Queryable,
  now: Date,
  options: { coordinatorId: string; withQueue: boolean },
): Promise<MembershipKey[]> {
  const { rows } = await sql<MembershipKey>`${prepared('startable-memberships')}
    select p.agent_id, p.project_id from pending_agent_purposes p
    left join coordinators c on c.id = ${options.coordinatorId}
    where ${isToAskFor(now)} and ${mayTake('p', now)} and (p.held_for is distinct from 'capacity' or ${options.withQueue})
    group by p.agent_id, p.project_id
    order by min(${sql.raw(queuedAtSql('p'))}), p.project_id, p.agent_id limit 500`.execute(db);
  return rows;
}

/**
 * The waiting rows of this membership for which the Coordinator has no place besides those for the rows
 * before them in the queue. Rows that no Coordinator has asked for are not in the queue: possibly none will,
 * and no place is reserved for them. Empty for an unknown Coordinator. Call it under lockPlacesOf.
 */
export async function rowsWithoutPlace(
  db: Queryable,
  start: MembershipKey & { coordinatorId: string },
  now: Date,
): Promise<WorkKey[]> {
  const { rows } = await sql<WorkKey>`
    select own.project_id, own.agent_id, own.purpose, own.task_id
    from pending_agent_purposes own join coordinators c on c.id = ${start.coordinatorId}
    where own.project_id = ${start.projectId} and own.agent_id = ${start.agentId} and own.started_at is null
      and c.capacity - (${used(now)}) <= (
        select count(*) from pending_agent_purposes p
        where p.held_for = 'capacity' and ${isStartable(now)} and ${mayTake('p', now)}
          and ${sql.raw(isBeforeSql('p', 'own'))})`.execute(db);
  return rows;
}

/**
 * The row may run, there is a Coordinator that could start agents, and all its places are taken or go to
 * earlier rows. The clock continues only for rows that could start now: otherwise one free place would start
 * the clocks of the whole queue.
 */
export async function isPlaceMissing(db: Queryable, row: WorkKey, now: Date): Promise<boolean> {
  const { rows } = await sql<{ missing: boolean }>`
    select ${sql.raw(mayRunSql('own'))} and (
      select count(*) > 0 and sum(greatest(c.capacity - (${used(now)}), 0)) <= (
        select count(*) from pending_agent_purposes p
        where p.started_at is null and (p.held_for is null or p.held_for = 'capacity')
          and ${sql.raw(mayRunSql('p'))} and ${sql.raw(isBeforeSql('p', 'own'))})
      from coordinators c where c.last_seen_at >= ${aliveSince(now)} and ${mayTake('own', now)}) as missing
    from pending_agent_purposes own
    where own.project_id = ${row.projectId} and own.agent_id = ${row.agentId} and own.purpose = ${row.purpose}
      and own.task_id = ${row.taskId}`.execute(db);
  return rows[0]?.missing ?? false;
}

/** The row may run, but its agent works on as many tasks as it may, or others before it wait for a place. */
export async function isAboveTaskLimit(db: Queryable, row: WorkKey): Promise<boolean> {
  const { rows } = await sql<{ above: boolean }>`
    select ${sql.raw(mayRunSql('p'))} and not ${sql.raw(isWithinTaskLimitSql('p'))} as above
    from pending_agent_purposes p
    where p.project_id = ${row.projectId} and p.agent_id = ${row.agentId} and p.purpose = ${row.purpose}
      and p.task_id = ${row.taskId}`.execute(db);
  return rows[0]?.above ?? false;
}

/** Rows that wait for a place, the first in the queue first. */
export async function heldForPlace(db: Queryable, limit: number): Promise<MembershipKey[]> {
  const { rows } = await sql<MembershipKey>`
    select p.project_id, p.agent_id from pending_agent_purposes p where p.held_for = 'capacity'
    order by ${sql.raw(queueOrderSql('p'))} limit ${limit}`.execute(db);
  return rows;
}

/** Whether any row waits for a place (sweep-step.ts). */
export const QUEUE_DEADLINES = `select ${LOOK_TIME_SQL} as at from pending_agent_purposes where held_for = 'capacity'`;
