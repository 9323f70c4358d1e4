import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';

/**
 * Moves the read mark of a person to a message, never back, and returns the number of unread messages after
 * it; undefined: the message does not exist. The mark's news_count is the thread's news_count minus the news
 * after the message, read in one snapshot, so both agree.
 */
export async function moveReadMark(
  db: Queryable,
  mark: { humanId: string; thread: string; upTo: string },
): Promise<number | undefined> {
  const { rows } = await sql<{ unread: number }>`
    with here as (
      select t.id as thread_id, t.news_count, m.seq, (select count(*) from chat_messages n
          where n.thread_id = t.id and n.seq > m.seq and n.visible and n.sender <> 'user'
            and n.conversation_id is null) as behind
      from chat_messages m join chat_threads t on t.id = m.thread_id
      where m.id = ${mark.upTo} and m.thread_id = ${mark.thread}
    ), moved as (
      insert into read_marks as r (human_id, thread_id, last_seq, news_count)
      select ${mark.humanId}, thread_id, seq, news_count - behind from here
      on conflict (human_id, thread_id) do update set last_seq = greatest(r.last_seq, excluded.last_seq),
        news_count = greatest(r.news_count, excluded.news_count)
      returning news_count
    )
    select greatest(here.news_count - moved.news_count, 0)::int as unread from here, moved`.execute(db);
  return rows[0]?.unread;
}

/** The unread messages of a person in the chats of a project. */
export async function unreadCounts(
  db: Queryable,
  of: { humanId: string; projectId: string },
): Promise<{ agentId: string; unread: number }[]> {
  const { rows } = await sql<{ agentId: string; unread: number }>`
      select t.agent_id, (t.news_count - coalesce(r.news_count, 0))::int as unread
      from chat_threads t
      join project_agents pa on pa.project_id = t.project_id and pa.agent_id = t.agent_id
      left join lateral (select r.news_count from read_marks r
        where r.human_id = ${of.humanId} and r.thread_id = t.id limit 1) r on true
      where t.project_id = ${of.projectId} and t.conversation_id is null`.execute(db);
  return rows;
}
