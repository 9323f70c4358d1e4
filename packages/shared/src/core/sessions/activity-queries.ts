import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';

/** The session was active: its turn and its idle time count from now. */
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

/** The turn of the session is over: a control that was meant for it is void. */
export async function noteTurnEnd(db: Queryable, sessionId: string, now: Date): Promise<void> {
  await db
    .updateTable('agentSessions')
    .set({ lastActivityAt: now, control: null })
    .where('id', '=', sessionId)
    .execute();
}

/** Asks the chat session of the membership to end its turn. False: it is in none, or was asked already. */
export async function requestInterrupt(
  db: Queryable,
  membership: { projectId: string; agentId: string },
): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    update agent_sessions s set control = 'interrupt', control_offered = null, control_acknowledged = null
    where s.project_id = ${membership.projectId} and s.agent_id = ${membership.agentId} and s.purpose = 'chat'
      and s.state <> 'ended' and s.control is null
      and exists (select from chat_messages m where m.delivered_session_id = s.id and m.state = 'delivered')
    returning s.id`.execute(db);
  return rows.length > 0;
}

/** A heartbeat during a turn, which lasts at least until then. True: its phase has changed. */
export async function noteTurnBeat(
  db: Queryable,
  sessionId: string,
  { phase, until }: { phase: string; until: Date },
): Promise<boolean> {
  const { rows } = await sql<{ phaseChanged: boolean }>`
      update agent_sessions s set last_seen_at = clock_timestamp(), phase = ${phase}, beat_until = greatest(s.beat_until, ${until})
      from (select id, phase from agent_sessions where id = ${sessionId}) old
      where s.id = old.id and s.state <> 'ended'
      returning old.phase is distinct from s.phase as phase_changed`.execute(db);
  return rows[0]?.phaseChanged ?? false;
}
