import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';
import { OLD_END_MS } from '../sessions/rules/old-end.ts';
import { NOBODY_HOLDS_SQL } from '../sessions/session-work.ts';
import { PER_WORK_SQL } from '../wake-ups/per-work-queries.ts';

/** At least one message was given to the session `s`. */
export const HAS_READ_SQL = 'exists (select from delivery_batches b where b.session_id = s.id)';

/** The rule `followsOldEnd`, of the session `s` that has ended. */
const FOLLOWED_OLD_END_SQL = `coalesce(s.exit_offered_at > s.ended_at - interval '${OLD_END_MS} ms', false)`;

/** Whether at least one message was given to the session. */
export async function hasRead(db: Queryable, sessionId: string): Promise<boolean> {
  const { rows } = await sql`select from agent_sessions s
    where s.id = ${sessionId} and ${sql.raw(HAS_READ_SQL)}`.execute(db);
  return rows.length > 0;
}

/**
 * Whether the chat session of the run logged out by itself, fetched nothing, and left a message that waited for it and
 * still does; not one that waited for the folder (left-work.ts), nor one that followed an end that was taken back.
 */
export async function hasLeftUnread(db: Queryable, runId: string): Promise<boolean> {
  const { rows } = await sql`select from agent_sessions s
    where s.run_id = ${runId} and s.purpose = 'chat' and s.state = 'ended' and s.exit_action is null
      and not ${sql.raw(HAS_READ_SQL)} and not ${sql.raw(FOLLOWED_OLD_END_SQL)}
      and (s.folder_wait_for is null
        or not exists (select from agents a where a.id = s.agent_id and ${sql.raw(PER_WORK_SQL)}))
      and exists (select from chat_messages m where m.deliver_to = s.agent_id and m.project_id = s.project_id
        and m.state = 'stored' and m.created_at <= s.ended_at and ${sql.raw(NOBODY_HOLDS_SQL)})`.execute(db);
  return rows.length > 0;
}
