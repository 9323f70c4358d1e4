import { sql } from 'kysely';
import type { Attachment } from '../../contract/attachment.ts';
import type { Queryable } from '../../platform/db/database.ts';

export interface StoredAttachment extends Attachment {
  readonly projectId: string;
  readonly humanId: string;
  readonly messageId: string | null;
  readonly taskId: string | null;
}

export type AttachmentUse = { readonly messageId: string } | { readonly taskId: string };

/**
 * The project, locked against other uploads into it; its status. Messages and tasks are written meanwhile. Undefined: there
 * is none.
 */
export async function lockForUpload(
  db: Queryable,
  projectId: string,
): Promise<{ status: string } | undefined> {
  return db
    .selectFrom('projects')
    .select('status')
    .where('id', '=', projectId)
    .where('deletedAt', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** The files of a project, used or not, from an index. */
export async function heldBy(db: Queryable, projectId: string): Promise<{ files: number; bytes: number }> {
  const { rows } = await sql<{ files: number; bytes: number }>`
    select count(*)::int as files, coalesce(sum(size), 0)::bigint as bytes
    from attachments where project_id = ${projectId}`.execute(db);
  return { files: rows[0]?.files ?? 0, bytes: Number(rows[0]?.bytes ?? 0) };
}

export async function insertAttachment(
  db: Queryable,
  attachment: Attachment & { readonly projectId: string; readonly humanId: string; readonly createdAt: Date },
  bytes: Uint8Array,
): Promise<void> {
  await db.insertInto('attachments').values(attachment).execute();
  await db
    .insertInto('attachmentBytes')
    .values({ attachmentId: attachment.id, bytes: Buffer.from(bytes) })
    .execute();
}

const COLUMNS = ['id', 'name', 'mediaType', 'size', 'projectId', 'humanId', 'messageId', 'taskId'] as const;

export function findAttachment(db: Queryable, id: string): Promise<StoredAttachment | undefined> {
  return db.selectFrom('attachments').select(COLUMNS).where('id', '=', id).executeTakeFirst();
}

/** Undefined: it was deleted meanwhile. */
export async function readBytes(db: Queryable, id: string): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('attachmentBytes')
    .select('bytes')
    .where('attachmentId', '=', id)
    .executeTakeFirst();
  return row?.bytes;
}

/** In the order of their ids, locked. */
export function lockAttachments(
  db: Queryable,
  { ids, projectId }: { readonly ids: readonly string[]; readonly projectId: string },
): Promise<StoredAttachment[]> {
  return db
    .selectFrom('attachments')
    .select(COLUMNS)
    .where('id', 'in', ids)
    .where('projectId', '=', projectId)
    .orderBy('id')
    .forUpdate()
    .execute();
}

export async function setUse(db: Queryable, ids: readonly string[], use: AttachmentUse): Promise<void> {
  await db
    .updateTable('attachments')
    .set(use)
    .where('id', 'in', ids)
    .where('messageId', 'is', null)
    .where('taskId', 'is', null)
    .execute();
}

/** With a comment that is deleted. */
export async function deleteAttachments(db: Queryable, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await db.deleteFrom('attachments').where('id', 'in', ids).execute();
}

/** With a task that is deleted. */
export async function deleteAttachmentsOfTask(db: Queryable, taskId: string): Promise<void> {
  await db.deleteFrom('attachments').where('taskId', '=', taskId).execute();
}

/**
 * The file, when this agent was given it: by a message in its chat of this project, or by a comment on a task there that is
 * its own, to do or to review, or that it has worked on.
 */
export async function findGiven(
  db: Queryable,
  { id, agentId, projectId }: { readonly id: string; readonly agentId: string; readonly projectId: string },
): Promise<Attachment | undefined> {
  const { rows } = await sql<Attachment>`
    select a.id, a.name, a.media_type, a.size from attachments a
    where a.id = ${id} and a.project_id = ${projectId} and (
      exists (select from chat_messages m where m.id = a.message_id and m.agent_id = ${agentId}
        and m.project_id = ${projectId} and m.conversation_id is null)
      or exists (select from tasks t join projects p on p.id = t.project_id
        where t.id = a.task_id and t.deleted_at is null and t.project_id = ${projectId}
        and (t.assignee_id = ${agentId} or p.reviewer_id = ${agentId}
          or exists (select from task_attempts n where n.task_id = t.id and n.agent_id = ${agentId}))))`.execute(
    db,
  );
  return rows[0];
}
