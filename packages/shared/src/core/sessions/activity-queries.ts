import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';

/** The session did something: its turn and its idle time count from now. */
export async function noteActivity(db: Queryable, sessionId: string, now: Date): Promise<void> {
  await db.updateTable('agentSessions').set({ lastActivityAt: now }).where('id', '=', sessionId).execute();
}

/** The same, when the session is active. */
export async function noteActivityOfActive(db: Queryable, sessionId: string, now: Date): Promise<void> {
  await db
    .updateTable('agentSessions')
    .set({ lastActivityAt: now })
    .where('id', '=', sessionId)
    .where('state', '=', 'active')
    .execute();
}

/** The session's turn is over: a control that was meant for it is void. */
export async function noteTurnEnd(db: Queryable, sessionId: string, now: Date): Promise<void> {
  await db
    .updateTable('agentSessions')
    .set({ lastActivityAt: now, control: null })
    .where('id', '=', sessionId)
    .execute();
}

/** Asks the pair's chat session to end its turn. False: it is in none, or was asked already. */
export async function requestInterrupt(
  db: Queryable,
  pair: { projectId: string; agentId: string },
): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    update agent_sessions s set control = 'interrupt', control_offered = null, control_told = null
    where s.project_id = ${pair.projectId} and s.agent_id = ${pair.agentId} and s.purpose = 'chat'
      and s.state <> 'ended' and s.control is null
      and exists (select from chat_messages m where m.delivered_session_id = s.id and m.state = 'delivered')
    returning s.id`.execute(db);
  return rows.length > 0;
}
