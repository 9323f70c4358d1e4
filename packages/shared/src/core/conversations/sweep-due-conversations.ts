import { sql } from 'kysely';
import { rowStep } from '../sweep-step.ts';
import { conversationTimes, tickConversation } from './conversation-deadlines.ts';

interface Candidate {
  readonly id: string;
  readonly since: Date;
}

/** Conversations whose time may be over; the lock and the rule decide. */
export const dueConversations = rowStep<Candidate>({
  candidates: async ({ deps }, after, limit) => {
    const { database, clock, settings } = deps;
    const times = await conversationTimes(deps);
    const graceMs = (await settings.current()).conversationNoticeGraceSeconds * 1_000;
    const now = clock.now().getTime();
    // One that ended is not looked at while a side has time to hear it, or lives and has not heard.
    const { rows } = await sql<Candidate>`
      select c.id, coalesce(c.ended_at, c.last_activity_at) as since from conversations c
      where ((c.state = 'pending' and c.created_at <= ${new Date(now - times.pendingTimeoutMs)})
          or (c.state = 'active' and c.last_activity_at <= ${new Date(now - times.timeoutMs)})
          or (c.state = 'terminating' and not exists (select from conversation_notices n
            where n.conversation_id = c.id and n.told_at is null and n.gone_at is null
              and (c.ended_at > ${new Date(now - graceMs)}
                or exists (select from agent_sessions s where s.id = n.session_id and s.state <> 'ended')))))
        and (coalesce(c.ended_at, c.last_activity_at), c.id) > (${after?.since ?? new Date(0)}, ${after?.id ?? ''})
      order by since, c.id limit ${limit}`.execute(database.db);
    return rows;
  },
  nameOf: ({ id }) => id,
  act: ({ deps }, { id }) => tickConversation(deps, id),
});
