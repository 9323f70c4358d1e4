import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';
import type { MembershipKey } from '../rules/work-key.ts';

/** Starts that wait for the folder of this project. */
export function heldForFolder(db: Queryable, projectId: string): Promise<MembershipKey[]> {
  return db
    .selectFrom('pendingAgentPurposes')
    .select(['projectId', 'agentId'])
    .where('projectId', '=', projectId)
    .where('heldFor', '=', 'folder_in_use')
    .execute();
}

/**
 * The clocks of the starts that wait for the folder of this project go on, and Coordinators ask for them. A row that is
 * locked is being decided about: it is left to the sweeper. So this waits for no other membership.
 */
export async function resumeHeldForFolder(db: Queryable, projectId: string, now: Date): Promise<boolean> {
  const { rows } = await sql<MembershipKey>`
    update pending_agent_purposes set held_for = null, held_since = null,
      held_ms = held_ms + coalesce(extract(epoch from ${now}::timestamptz - held_since) * 1000, 0)::bigint
    where held_for = 'folder_in_use' and (agent_id, project_id, purpose, task_id) in (
      select agent_id, project_id, purpose, task_id from pending_agent_purposes
      where project_id = ${projectId} and held_for = 'folder_in_use' for update skip locked)
    returning project_id, agent_id`.execute(db);
  for (const membership of rows) await restartConversationsWithout(db, membership, now);
  return rows.length > 0;
}

/**
 * The start of this agent waits no more for the folder: its conversations that no session holds count as silent from now
 * on.
 */
export function restartConversationsWithout(
  db: Queryable,
  { projectId, agentId }: MembershipKey,
  now: Date,
): Promise<void> {
  const isFree = sql<boolean>`(initiator_agent_id = ${agentId} and initiator_session_id is null
    or participant_agent_id = ${agentId} and participant_session_id is null)`;
  return restart(db, { projectId, which: isFree, now });
}

/** The start that waited is gone: all conversations of this agent count as silent from now on, whoever holds its side. */
export function restartConversationsOf(
  db: Queryable,
  { projectId, agentId }: MembershipKey,
  now: Date,
): Promise<void> {
  const isOfAgent = sql<boolean>`(initiator_agent_id = ${agentId} or participant_agent_id = ${agentId})`;
  return restart(db, { projectId, which: isOfAgent, now });
}

/** One that is locked is being written or ended: so this waits for no other membership. */
async function restart(
  db: Queryable,
  { projectId, which, now }: { projectId: string; which: RawBuilder<boolean>; now: Date },
): Promise<void> {
  await sql`
    update conversations set last_activity_at = greatest(last_activity_at, ${now}::timestamptz)
    where id in (
      select id from conversations where project_id = ${projectId} and state = 'active' and ${which}
      for update skip locked)`.execute(db);
}
