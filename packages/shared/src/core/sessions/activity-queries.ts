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
