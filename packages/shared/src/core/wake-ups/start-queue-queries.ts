import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';
import type { MembershipKey, WorkKey } from '../rules/work-key.ts';
import { LOOK_TIME_SQL } from '../sweep-step.ts';
import { aliveSince, used } from './place-queries.ts';
import { STILL_ENDING_SQL } from './wake-up-list-queries.ts';

/*
 * The order of starts: wake-ups are named to Coordinators in the order of their creation, over all projects.
 * Those without a place wait in the queue (`held_for = 'capacity'`); a place that becomes free goes to the
 * oldest of them.
 */

/** The order of the queue, in SQL. */
export const QUEUE_ORDER_SQL = 'created_at, project_id, agent_id, purpose, task_id';

/** The task of `p` is to be worked on by its agent, in a project that is not paused. */
const TASK_MAY_RUN_SQL = `exists (select from tasks t join projects j on j.id = t.project_id and j.status = 'active'
  where t.id = p.task_id and t.project_id = p.project_id and t.assignee_id = p.agent_id
    and t.status = 'in_progress' and t.deleted_at is null)`;

/**
 * A wake-up `p` could be started at once: it is not taken, it is not cooling down, no session is live or
 * ending.
 */
function isStartable(now: Date) {
  return sql<boolean>`p.started_at is null and (p.not_before is null or p.not_before <= ${now})
    and not ${sql.raw(STILL_ENDING_SQL)} and (p.purpose = 'chat' or ${sql.raw(TASK_MAY_RUN_SQL)})`;
}

/**
 * Memberships with a row that could be started, the next one first. Without the queue: rows that have not
 * been held for a place.
 */
export async function startableMemberships(
  db: Queryable,
  now: Date,
  options: { withQueue: boolean },
): Promise<MembershipKey[]> {
  const { rows } = await sql<MembershipKey>`
    select p.agent_id, p.project_id from pending_agent_purposes p
    where ${isStartable(now)} and (p.held_for is distinct from 'capacity' or ${options.withQueue})
    group by p.agent_id, p.project_id order by min(p.created_at) limit 500`.execute(db);
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
        where p.held_for = 'capacity' and ${isStartable(now)}
          and (p.created_at, p.project_id, p.agent_id, p.purpose, p.task_id)
            < (own.created_at, own.project_id, own.agent_id, own.purpose, own.task_id))`.execute(db);
  return rows;
}

/**
 * There is a Coordinator that could start agents, and all its places are taken or go to earlier rows. The
 * clock continues only for rows that could start now: otherwise one free place would start the clocks of the
 * whole queue.
 */
export async function isPlaceMissing(db: Queryable, row: WorkKey, now: Date): Promise<boolean> {
  const { rows } = await sql<{ missing: boolean }>`
    select count(*) > 0 and sum(greatest(c.capacity - (${used(now)}), 0)) <= (
      select count(*) from pending_agent_purposes p
      join pending_agent_purposes q on q.started_at is null and (q.held_for is null or q.held_for = 'capacity')
        and (q.created_at, q.project_id, q.agent_id, q.purpose, q.task_id)
          < (p.created_at, p.project_id, p.agent_id, p.purpose, p.task_id)
      where p.project_id = ${row.projectId} and p.agent_id = ${row.agentId} and p.purpose = ${row.purpose}
        and p.task_id = ${row.taskId}) as missing
    from coordinators c where c.last_seen_at >= ${aliveSince(now)}`.execute(db);
  return rows[0]?.missing ?? false;
}

/** Rows that wait for a place, the first in the queue first. */
export async function heldForPlace(db: Queryable, limit: number): Promise<MembershipKey[]> {
  const { rows } = await sql<MembershipKey>`
    select project_id, agent_id from pending_agent_purposes where held_for = 'capacity'
    order by ${sql.raw(QUEUE_ORDER_SQL)} limit ${limit}`.execute(db);
  return rows;
}

/** Whether any row waits for a place (sweep-step.ts). */
export const QUEUE_DEADLINES = `select ${LOOK_TIME_SQL} as at from pending_agent_purposes where held_for = 'capacity'`;
