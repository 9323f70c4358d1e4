import { sql } from 'kysely';
import type { InboxRef } from '../../contract/inbox.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { type PageOf, type PageRequest, parseCursor, toPage } from '../../platform/db/page.ts';
import { FAILED_ENDS, MENTION_LENGTH, member, mine, NOTHING_NEWER, notRead } from './inbox-part-queries.ts';
import type { InboxQuery, InboxRow } from './inbox-queries.ts';

interface PutAwayRow extends InboxRow {
  readonly kind: InboxRef['kind'];
  readonly putAwayAt: Date;
  readonly hiddenUntil: Date | null;
}

/**
 * What would be in the inbox of this person without its mark. The marks of the person are read from an index in
 * their order, until a page is full; each is looked up by the id that it names. A person has 2,000 marks at most.
 */
export async function listPutAway(
  db: Queryable,
  query: Omit<InboxQuery, 'limit'>,
  page: PageRequest,
): Promise<PageOf<PutAwayRow>> {
  const { personId, now, failedRunsSince, acts } = query;
  const position = parseCursor(page.cursor);
  const isMine = (projectId: string) =>
    sql`exists (select from (${mine(query)}) mine where mine.id = ${sql.ref(projectId)})`;
  const { rows } = await sql<PutAwayRow>`
    select k.kind, k.ref_id, k.put_away_at, k.hidden_until, w.project_id, w.agent_id, w.created_at, w.words,
      w.name, w.cause, w.task_id, w.task_title, null as count
    from inbox_marks k cross join lateral (
      select m.project_id, m.agent_id, m.failed_at as created_at, m.content as words, null as name, null as cause,
          null as task_id, null as task_title
        from chat_messages m
        where k.kind = 'failed_message' and m.id = k.ref_id and m.human_id = ${personId}
          and m.state = 'failed' and m.sender = 'user' and m.failed_at <= k.marked_at
          and ${isMine('m.projectId')} and ${NOTHING_NEWER}
      union all
      select r.project_id, r.agent_id, r.ended_at, null, a.name, r.exit_cause, null, null
        from agent_runs r cross join lateral (${member('r')}) a
        where k.kind = 'failed_run' and r.id = k.ref_id and not r.followed and ${FAILED_ENDS}
          and r.ended_at > ${failedRunsSince} and r.ended_at <= k.marked_at and ${isMine('r.projectId')}
      union all
      select t.project_id, t.assignee_id, t.blocked_since, t.title, null, null, null, null
        from tasks t
        where k.kind = 'blocked_task' and t.id = k.ref_id and t.status = 'blocked' and t.deleted_at is null
          and t.blocked_since <= k.marked_at and ${isMine('t.projectId')}
      union all
      select t.project_id, t.agent_id, n.created_at, left(t.content, ${MENTION_LENGTH}), a.name, null, null, null
        from mentions n join chat_messages t on t.id = n.message_id cross join lateral (${member('t')}) a
        where k.kind = 'mention' and n.message_id = k.ref_id and n.human_id = ${personId}
          and n.created_at <= k.marked_at and ${isMine('t.projectId')} and ${notRead(personId)}
      union all
      select t.project_id, null, n.created_at, left(c.body, ${MENTION_LENGTH}), null, null, t.id, t.title
        from comment_mentions n join task_comments c on c.id = n.comment_id
          join tasks t on t.id = c.task_id and t.deleted_at is null
        where k.kind = 'mention' and n.comment_id = k.ref_id and n.human_id = ${personId}
          and n.created_at <= k.marked_at and ${isMine('t.projectId')}) w
    where k.human_id = ${personId} and (${acts} or k.kind = 'mention') and (k.hidden_until is null or k.hidden_until > ${now})
      and (${position?.id ?? null}::text is null
        or (k.put_away_at, k.ref_id) < (${position?.createdAt ?? null}::timestamptz, ${position?.id ?? null}::text))
    order by k.put_away_at desc, k.ref_id desc limit ${page.limit + 1}`.execute(db);
  const { rows: places, nextCursor } = toPage(
    rows.map((row) => ({ createdAt: row.putAwayAt, id: row.refId, row })),
    page.limit,
  );
  return { rows: places.map(({ row }) => row), nextCursor };
}
