import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';
import type { MembershipKey } from '../rules/work-key.ts';

/**
 * For a new session whose run works in its folder: stores that it shares the folder, if the project says so. Run it after
 * the insert, which has locked the project against a change.
 */
export async function setSharesFolder(db: Queryable, sessionId: string): Promise<void> {
  await sql`
    update agent_sessions s set shares_folder = true from projects p
    where s.id = ${sessionId} and p.id = s.project_id and p.isolation = 'shared'`.execute(db);
}

/** The live conversations of the session count as silent from now on. */
export async function restartConversations(
  db: Queryable,
  { id, projectId, agentId }: MembershipKey & { readonly id: string },
  now: Date,
): Promise<void> {
  await sql`update conversations set last_activity_at = greatest(last_activity_at, ${now})
    where project_id = ${projectId} and state = 'active' and ${agentId} in (initiator_agent_id, participant_agent_id)
      and ${id} in (initiator_session_id, participant_session_id)`.execute(db);
}

/** Undefined: the session is not active, or this was stored already. `runId`: the run of a task that waits, or waited. */
export async function setFolderWait(
  db: Queryable,
  sessionId: string,
  waitsFor: string | null,
): Promise<{ runId: string | null } | undefined> {
  const changed = await db
    .updateTable('agentSessions')
    .set({ folderWaitFor: waitsFor })
    .where('id', '=', sessionId)
    .where('state', '=', 'active')
    .where('folderWaitFor', 'is distinct from', waitsFor)
    .returning(['runId', 'purpose'])
    .executeTakeFirst();
  return changed && { runId: changed.purpose === 'task' ? changed.runId : null };
}
