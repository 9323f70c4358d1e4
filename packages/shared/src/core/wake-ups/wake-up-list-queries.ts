import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';
import type { MembershipKey, WorkKey } from '../rules/work-key.ts';

export interface DueWakeUp extends WorkKey {
  readonly createdAt: Date;
}

/** An earlier session or run of the same work has not ended yet: the next start waits for it. */
export async function isStillEnding(db: Queryable, key: WorkKey): Promise<boolean> {
  const { projectId, agentId, purpose, taskId } = key;
  const { rows } = await sql<{ ending: boolean }>`
    select ${sql.raw(STILL_ENDING_SQL)} as ending
    from (values (${agentId}, ${projectId}, ${purpose}, ${taskId})) p (agent_id, project_id, purpose, task_id)`.execute(
    db,
  );
  return rows[0]?.ending ?? false;
}

/** Rows that no Coordinator has taken yet, the oldest first. */
export async function waitingMemberships(db: Queryable, limit: number): Promise<MembershipKey[]> {
  return await db
    .selectFrom('pendingAgentPurposes')
    .select(['projectId', 'agentId'])
    .where('startedAt', 'is', null)
    .orderBy('createdAt')
    .orderBy('projectId')
    .orderBy('agentId')
    .limit(limit)
    .execute();
}

/** Rows whose clock has run out, the oldest first, behind `after`: for the sweeper; the lock and the rule decide. */
export async function wakeUpsPastTtl(
  db: Queryable,
  of: {
    now: Date;
    ttlMs: number;
    after: DueWakeUp | null;
    limit: number;
  },
): Promise<DueWakeUp[]> {
  const since = new Date(of.now.getTime() - of.ttlMs);
  return dueRows(
    db,
    sql<boolean>`(started_at <= ${since} or (started_at is null and held_since is null
      and created_at + held_ms * interval '1 ms' <= ${since}))`,
    of,
  );
}

/** Rows whose clock is stopped, the oldest first, after the position `after`. */
export async function heldWakeUps(
  db: Queryable,
  page: { after: DueWakeUp | null; limit: number },
): Promise<DueWakeUp[]> {
  return dueRows(db, sql<boolean>`held_since is not null`, page);
}

async function dueRows(
  db: Queryable,
  which: RawBuilder<boolean>,
  { after, limit }: { after: DueWakeUp | null; limit: number },
): Promise<DueWakeUp[]> {
  const { createdAt = new Date(0), projectId = '', agentId = '', purpose = '', taskId = '' } = after ?? {};
  const { rows } = await sql<DueWakeUp>`
    select project_id, agent_id, purpose, task_id, created_at from pending_agent_purposes
    where ${which} and (created_at, project_id, agent_id, purpose, task_id)
      > (${createdAt}, ${projectId}, ${agentId}, ${purpose}, ${taskId})
    order by created_at, project_id, agent_id, purpose, task_id limit ${limit}`.execute(db);
  return rows;
}

/**
 * The last session for the work of `p` has not ended. For a task its last run counts too: two processes never
 * work on one task, whereas a chat is free as soon as its session is over.
 */
export const STILL_ENDING_SQL = `(exists (select from agent_sessions s where s.project_id = p.project_id
    and s.agent_id = p.agent_id and s.purpose = p.purpose and s.task_id = p.task_id and s.state <> 'ended')
  or (p.purpose = 'task' and exists (select from agent_runs r where r.agent_id = p.agent_id
    and r.project_id = p.project_id and r.task_id = p.task_id and r.purpose = 'task' and r.state <> 'exited')))`;
