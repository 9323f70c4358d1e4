import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';
import { chatThreadId } from '../chat/thread-id.ts';
import type { Purpose } from '../rules/work-key.ts';

/** The messages of people that a session was given, and the work of the session. */
export interface HeardBySession {
  /** One of the newest messages of the chat was written by a person and delivered to this session. */
  readonly heardPerson: boolean;
  readonly holdsSchedule: boolean;
  readonly holdsPerson: boolean;
}

/**
 * The wake-up for whose start a launch ticket was made; undefined: the ticket does not exist, or the wake-up
 * does not exist any more.
 */
export async function wakeUpOfTicket(
  db: Queryable,
  ticketHash: string,
): Promise<{ openedBy: string | null; purpose: Purpose } | undefined> {
  const { rows } = await sql<{ openedBy: string | null; purpose: Purpose }>`
    select p.opened_by, p.purpose from launch_tickets t join pending_agent_purposes p on p.run_id = t.run_id
    where t.ticket_hash = ${ticketHash}`.execute(db);
  return rows[0];
}

/** Reads the newest `within` messages of the chat, and those that the session holds. */
export async function heardBySession(
  db: Queryable,
  session: { id: string; projectId: string; agentId: string },
  within: number,
): Promise<HeardBySession> {
  const { rows } = await sql<HeardBySession>`
    select coalesce(bool_or(h.schedule_id is not null), false) as holds_schedule,
      coalesce(bool_or(h.schedule_id is null and h.conversation_id is null), false) as holds_person,
      (select coalesce(bool_or(m.delivered_session_id = ${session.id} and m.sender = 'user' and m.schedule_id is null), false)
        from (select delivered_session_id, sender, schedule_id from chat_messages
          where thread_id = ${chatThreadId(session.projectId, session.agentId)}
          order by seq desc limit ${within}) m) as heard_person
    from chat_messages h where h.delivered_session_id = ${session.id} and h.state = 'delivered'`.execute(db);
  return rows[0] ?? { heardPerson: false, holdsSchedule: false, holdsPerson: false };
}
