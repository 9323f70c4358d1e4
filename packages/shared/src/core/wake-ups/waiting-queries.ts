import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';
import { NOBODY_HOLDS_SQL } from '../sessions/session-work.ts';

/** A membership with a waiting message, and without a session or wake-up for it. */
export interface UnwokenMembership {
  readonly projectId: string;
  readonly agentId: string;
  /** The person who wrote the oldest of these messages. */
  readonly openedBy: string | null;
}

/**
 * Memberships with messages stored before `storedBefore`, without wake-up and without active chat session,
 * after the position `after`. Steps from membership to membership over the index of unread messages: the cost
 * depends on the memberships, not on their messages.
 */
export async function unwokenMemberships(
  db: Queryable,
  { storedBefore, after, limit }: { storedBefore: Date; after: UnwokenMembership | null; limit: number },
): Promise<UnwokenMembership[]> {
  const { rows } = await sql<UnwokenMembership>`
      with recursive waiting as (
        (select deliver_to, project_id from chat_messages
        where state = 'stored' and deliver_to is not null
          and (deliver_to, project_id) > (${after?.agentId ?? ''}, ${after?.projectId ?? ''})
        order by deliver_to, project_id limit 1)
        union all
        select next.deliver_to, next.project_id from waiting w cross join lateral (
          select m.deliver_to, m.project_id from chat_messages m
          where m.state = 'stored' and m.deliver_to is not null
            and (m.deliver_to, m.project_id) > (w.deliver_to, w.project_id)
          order by m.deliver_to, m.project_id limit 1) next
      )
      select w.project_id, w.deliver_to as agent_id, (select m.human_id from chat_messages m
          where m.deliver_to = w.deliver_to and m.project_id = w.project_id and m.state = 'stored'
            and m.human_id is not null and m.schedule_id is null order by m.seq limit 1) as opened_by
      from waiting w
      where not exists (select from pending_agent_purposes p where p.project_id = w.project_id
          and p.agent_id = w.deliver_to and p.purpose = 'chat')
        and not exists (select from agent_sessions s where s.project_id = w.project_id
          and s.agent_id = w.deliver_to and s.purpose = 'chat' and s.state = 'active')
        and exists (select from chat_messages m where m.deliver_to = w.deliver_to and m.project_id = w.project_id
          and m.state = 'stored' and ${sql.raw(NOBODY_HOLDS_SQL)}
          and m.created_at < ${storedBefore})
      limit ${limit}`.execute(db);
  return rows;
}

/** What still exists of an agent, its project (null: deleted or archived) and its membership. */
export function findRemains(
  db: Queryable,
  membership: { readonly projectId: string; readonly agentId: string },
): Promise<{ deletedAt: Date | null; projectId: string | null; memberId: string | null } | undefined> {
  return db
    .selectFrom('agents')
    .leftJoin('projects', (join) =>
      join
        .on('projects.id', '=', membership.projectId)
        .on('projects.deletedAt', 'is', null)
        .on('projects.status', '<>', 'archived'),
    )
    .leftJoin('projectAgents', (join) =>
      join
        .onRef('projectAgents.agentId', '=', 'agents.id')
        .on('projectAgents.projectId', '=', membership.projectId),
    )
    .select(['agents.deletedAt', 'projects.id as projectId', 'projectAgents.agentId as memberId'])
    .where('agents.id', '=', membership.agentId)
    .executeTakeFirst();
}

/** A message younger than this is still being posted. */
export const YOUNG_MS = 500;

/** Whether any message waits at all (sweep-step.ts): usually none waits for long. */
export const WAITING_DEADLINES = `
  (select created_at + interval '${YOUNG_MS} ms' as at from chat_messages
  where state = 'stored' and deliver_to is not null order by deliver_to, project_id, created_at limit 1)`;
