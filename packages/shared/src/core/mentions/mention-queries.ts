import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';
import type { Position } from '../../platform/db/page.ts';

export interface NamedMember {
  readonly id: string;
  readonly name: string;
  readonly type: string;
}

/** A text is compared with no more names. */
const MAX_NAMES = 1_000;

/** Who reads the chats of a project: its members, and the owners. Nobody who was deleted. */
export async function namedMembers(db: Queryable, projectId: string): Promise<NamedMember[]> {
  const { rows } = await sql<NamedMember>`
    select a.id, a.name, a.type from agents a
    where a.deleted_at is null and (a.access_level = 'owner' or exists (select from project_agents m
      where m.project_id = ${projectId} and m.agent_id = a.id))
    order by a.id limit ${MAX_NAMES}`.execute(db);
  return rows;
}

/** Returns the people for whom it is new. */
export async function insertMentions(
  db: Queryable,
  { messageId, humanIds }: { readonly messageId: string; readonly humanIds: readonly string[] },
): Promise<string[]> {
  const { rows } = await sql<{ humanId: string }>`
    insert into mentions (message_id, human_id, created_at)
    select m.id, h.id, m.created_at from chat_messages m cross join unnest(${humanIds}::text[]) as h (id)
    where m.id = ${messageId}
    on conflict (message_id, human_id) do nothing
    returning human_id`.execute(db);
  return rows.map(({ humanId }) => humanId);
}

/** The same for a comment on a task. */
export async function insertCommentMentions(
  db: Queryable,
  { commentId, humanIds }: { readonly commentId: string; readonly humanIds: readonly string[] },
): Promise<string[]> {
  const { rows } = await sql<{ humanId: string }>`
    insert into comment_mentions (comment_id, human_id, created_at)
    select c.id, h.id, c.created_at from task_comments c cross join unnest(${humanIds}::text[]) as h (id)
    where c.id = ${commentId}
    on conflict (comment_id, human_id) do nothing
    returning human_id`.execute(db);
  return rows.map(({ humanId }) => humanId);
}

/** This person has seen the comments of a task up to this one. False: none of them waited for that person. */
export async function deleteSeenMentions(
  db: Queryable,
  seen: { readonly humanId: string; readonly taskId: string; readonly upTo: Position },
): Promise<boolean> {
  const { humanId, taskId, upTo } = seen;
  const { rows } = await sql`
    delete from comment_mentions n using task_comments c
    where n.human_id = ${humanId} and c.id = n.comment_id and c.task_id = ${taskId}
      and (c.created_at, c.id) <= (${upTo.createdAt}::timestamptz, ${upTo.id})
    returning n.comment_id`.execute(db);
  return rows.length > 0;
}
