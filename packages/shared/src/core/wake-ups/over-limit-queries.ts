import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';
import type { MembershipKey } from '../rules/work-key.ts';
import { LOOK_TIME_SQL } from '../sweep-step.ts';
import { overLimitSql } from '../usage/daily-limit-queries.ts';

/** The agent is at work on what it was given of the same conversation: the rest waits for the end of this turn. */
const IN_TURN_SQL = `m.conversation_id is not null and exists (select from chat_messages h
  where h.thread_id = m.thread_id and h.state = 'delivered' and h.deliver_to = m.deliver_to)`;

/** `a`: an agent that has used its tokens of today, and for which something waits in the project `w`. */
const waitingSql = (now: string): string => `agents a cross join lateral (
    select m.project_id from chat_messages m
    where m.deliver_to = a.id and m.state = 'stored' and not (${IN_TURN_SQL})
    union
    select p.project_id from pending_agent_purposes p
    where p.agent_id = a.id and p.purpose = 'chat' and p.started_at is null
  ) w where a.daily_token_limit is not null and ${overLimitSql('a.id', now)}`;

/** Memberships whose waiting work has to be refused, after the position `after`. */
export async function refusedMemberships(
  db: Queryable,
  { now, after, limit }: { now: Date; after: MembershipKey | null; limit: number },
): Promise<MembershipKey[]> {
  const at = sql`${now}::timestamptz`;
  const { rows } = await sql<MembershipKey>`
    with clock as (select ${at} as now)
    select w.project_id, a.id as agent_id from clock, ${sql.raw(waitingSql('(select now from clock)'))}
      and (w.project_id, a.id) > (${after?.projectId ?? ''}, ${after?.agentId ?? ''})
    order by w.project_id, a.id limit ${limit}`.execute(db);
  return rows;
}

/** Whether there is any (sweep-step.ts). */
export const REFUSED_DEADLINES = `(select ${LOOK_TIME_SQL} as at from ${waitingSql(LOOK_TIME_SQL)} limit 1)`;

/** Conversations that wait for this agent: to begin, or with a message that it was not given. */
export async function conversationsWaitingFor(db: Queryable, membership: MembershipKey): Promise<string[]> {
  const { projectId, agentId } = membership;
  const { rows } = await sql<{ id: string }>`
    select c.id from conversations c
    where c.project_id = ${projectId} and (c.state = 'pending' and c.participant_agent_id = ${agentId}
      or c.state = 'active' and ${agentId} in (c.initiator_agent_id, c.participant_agent_id)
        and exists (select from chat_messages m
          where m.thread_id = c.id and m.state = 'stored' and m.deliver_to = ${agentId} and not (${sql.raw(IN_TURN_SQL)})))
    order by c.id`.execute(db);
  return rows.map(({ id }) => id);
}
