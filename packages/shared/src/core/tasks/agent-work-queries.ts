import { sql } from 'kysely';
import type { Attachment } from '../../contract/attachment.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import { storedAttachments } from '../attachments/stored-attachments.ts';
import type { TaskStatus } from './rules/task-status.ts';

/** What was saved in the work on a task. */
export interface ContextNote {
  readonly at: Date;
  /** The attempt in which it was saved. */
  readonly attempt: number | null;
  readonly text: string;
}

export interface TaskRemark {
  readonly at: Date;
  readonly authorId: string | null;
  readonly authorName: string;
  readonly text: string;
  readonly attachments?: readonly Attachment[] | undefined;
}

/** A task that had to be done before, with what its agent has reported. */
export interface TaskBefore {
  readonly taskId: string;
  readonly title: string;
  readonly status: TaskStatus;
  readonly summary: string | null;
}

/** Of each list at most this much text, of people and agents, is in one answer; the newest entry always. */
const MAX_BYTES = 256 * 1024;
/** Of the summaries of earlier tasks, the beginning: there may be a hundred. */
const MAX_SUMMARY = 4_000;

/** The newest of these entries, of a task, that fit together. */
const newestOf = (table: 'task_contexts' | 'task_comments', taskId: string, limit: number) => sql`
  (select * from (select newest.*, row_number() over w as place, sum(octet_length(body)) over w as bytes
    from (select * from ${sql.table(table)} where task_id = ${taskId}
      order by created_at desc, id desc limit ${limit}) newest
    window w as (order by created_at desc, id desc)) counted
  where place = 1 or bytes <= ${MAX_BYTES})`;

/** The newest, oldest first. */
export async function contextNotes(db: Queryable, taskId: string, limit: number): Promise<ContextNote[]> {
  const { rows } = await sql<ContextNote>`select created_at as at, attempt, body as text
    from ${newestOf('task_contexts', taskId, limit)} c order by created_at, id`.execute(db);
  return rows;
}

export async function insertContextNote(
  db: Queryable,
  note: { taskId: string; agentId: string; attempt: number | null; text: string; now: Date },
): Promise<void> {
  const { taskId, agentId, attempt, text, now } = note;
  await db
    .insertInto('taskContexts')
    .values({ id: newId('ctx'), taskId, agentId, attempt, body: text, createdAt: now })
    .execute();
}

/** The newest, oldest first. */
export async function taskRemarks(db: Queryable, taskId: string, limit: number): Promise<TaskRemark[]> {
  const { rows } = await sql<Omit<TaskRemark, 'attachments'> & { attachments: unknown }>`
    select c.created_at as at, c.author_id, coalesce(a.name, '') as author_name, c.body as text,
      c.attachments
    from ${newestOf('task_comments', taskId, limit)} c left join agents a on a.id = c.author_id
    order by c.created_at, c.id`.execute(db);
  return rows.map((row) => ({ ...row, attachments: storedAttachments(row.attachments) }));
}

/** The tasks on which this one depends, with the summary of the attempt that has done each. */
export async function tasksBefore(db: Queryable, taskId: string): Promise<TaskBefore[]> {
  const { rows } = await sql<TaskBefore>`
    select t.id as task_id, t.title, t.status, (select left(a.summary, ${MAX_SUMMARY}) from task_attempts a
      where a.task_id = t.id and a.outcome = 'done' order by a.n desc limit 1) as summary
    from task_dependencies d join tasks t on t.id = d.depends_on_id and t.deleted_at is null
    where d.task_id = ${taskId} order by t.id`.execute(db);
  return rows;
}
