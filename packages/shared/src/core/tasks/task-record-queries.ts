import { sql } from 'kysely';
import type { Attachment } from '../../contract/attachment.ts';
import type { UsageSum } from '../../contract/usage.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { after, bytesOf, type PageOf, type PageRequest, readPage } from '../../platform/db/page.ts';
import { newId } from '../../platform/ids.ts';
import { ATTEMPT_STEPS_SQL } from '../chat/steps/step-queries.ts';
import { ATTEMPT_OUTCOMES, type AttemptOutcome } from '../task-work/rules/task-work.ts';
import { SESSION_USAGE_SQL } from '../usage/usage-queries.ts';
import { TASK_FIELDS, type TaskField } from './rules/task-fields.ts';

/* What hangs on a task: its comments, its history, its attempts. */

export interface StoredComment {
  readonly id: string;
  readonly taskId: string;
  readonly authorId: string | null;
  readonly body: string;
  readonly attachments: unknown;
  readonly createdAt: Date;
}

export interface CommentRow extends StoredComment {
  readonly authorName: string | null;
}

export interface HistoryRow {
  readonly id: string;
  readonly byId: string | null;
  readonly byName: string | null;
  readonly field: TaskField;
  readonly from: string | null;
  readonly to: string | null;
  readonly createdAt: Date;
}

export interface AttemptRow {
  readonly n: number;
  readonly agentId: string;
  readonly runId: string | null;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
  readonly outcome: AttemptOutcome | null;
  readonly summary: string | null;
  readonly reason: unknown;
  /** Null: nothing was reported by its session, or the session is forgotten. */
  readonly usage: UsageSum | null;
  /** Null: none is kept. */
  readonly steps: number | null;
}

/** Of the session that the run of the attempt `task_attempts` signed in. */
const ATTEMPT_USAGE_SQL = `(select ${SESSION_USAGE_SQL} from agent_sessions s
  where s.run_id = task_attempts.run_id order by s.created_at desc limit 1)`;

const MAX_ATTEMPTS = 100;

export interface NewComment {
  readonly id?: string | undefined;
  readonly taskId: string;
  readonly authorId: string;
  readonly body: string;
  readonly now: Date;
}

/** Undefined: there is one of this id. */
export async function insertComment(db: Queryable, comment: NewComment): Promise<StoredComment | undefined> {
  const { id = newId('cmt'), taskId, authorId, body, now } = comment;
  return db
    .insertInto('taskComments')
    .values({ id, taskId, authorId, body, createdAt: now })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returningAll()
    .executeTakeFirst();
}

export async function setCommentAttachments(
  db: Queryable,
  id: string,
  attachments: readonly Attachment[],
): Promise<void> {
  await db
    .updateTable('taskComments')
    .set({ attachments: JSON.stringify(attachments) })
    .where('id', '=', id)
    .execute();
}

/** In the order of their creation; fewer than the limit when they are long (PAGE_BYTES). */
export async function listComments(
  db: Queryable,
  taskId: string,
  page: PageRequest,
): Promise<PageOf<CommentRow>> {
  const found = await db
    .selectFrom('taskComments')
    .select(['id', 'createdAt', bytesOf({ texts: ['body'] })])
    .where('taskId', '=', taskId)
    .where(after('taskComments', page.cursor))
    .orderBy('createdAt')
    .orderBy('id')
    .limit(page.limit + 1)
    .execute();
  return readPage(found, page.limit, (ids) =>
    selectComments(db)
      .where('taskComments.id', 'in', [...ids])
      .execute(),
  );
}

export function findComment(db: Queryable, id: string): Promise<CommentRow | undefined> {
  return selectComments(db).where('taskComments.id', '=', id).executeTakeFirst();
}

function selectComments(db: Queryable) {
  return db
    .selectFrom('taskComments')
    .leftJoin('agents', 'agents.id', 'taskComments.authorId')
    .selectAll('taskComments')
    .select('agents.name as authorName');
}

/** False: it is gone already. */
export async function deleteComment(db: Queryable, id: string): Promise<boolean> {
  const result = await db.deleteFrom('taskComments').where('id', '=', id).executeTakeFirst();
  return result.numDeletedRows === 1n;
}

/** In the order of their creation. */
export async function listHistory(
  db: Queryable,
  taskId: string,
  page: PageRequest,
): Promise<PageOf<HistoryRow>> {
  const found = await db
    .selectFrom('taskHistory')
    .select(['id', 'createdAt', bytesOf({ texts: ['fromValue', 'toValue'] })])
    .where('taskId', '=', taskId)
    .where(after('taskHistory', page.cursor))
    .orderBy('createdAt')
    .orderBy('id')
    .limit(page.limit + 1)
    .execute();
  return readPage(found, page.limit, async (ids) => {
    const rows = await db
      .selectFrom('taskHistory')
      .leftJoin('agents', 'agents.id', 'taskHistory.byId')
      .select([
        'taskHistory.id',
        'byId',
        'agents.name as byName',
        'field',
        'fromValue as from',
        'toValue as to',
      ])
      .select('taskHistory.createdAt')
      .where('taskHistory.id', 'in', [...ids])
      .execute();
    return rows.flatMap((row) => {
      const field = TASK_FIELDS.find((one) => one === row.field);
      return field === undefined ? [] : [{ ...row, field }];
    });
  });
}

/** The newest, oldest first. */
export async function listAttempts(db: Queryable, taskId: string): Promise<AttemptRow[]> {
  const rows = await db
    .selectFrom('taskAttempts')
    .select(['n', 'agentId', 'runId', 'startedAt', 'endedAt', 'outcome', 'summary', 'reason'])
    .select(sql<UsageSum | null>`${sql.raw(ATTEMPT_USAGE_SQL)}`.as('usage'))
    .select(sql<number | null>`${sql.raw(ATTEMPT_STEPS_SQL)}`.as('steps'))
    .where('taskId', '=', taskId)
    .orderBy('n', 'desc')
    .limit(MAX_ATTEMPTS)
    .execute();
  return rows
    .reverse()
    .map((row) => ({ ...row, outcome: ATTEMPT_OUTCOMES.find((one) => one === row.outcome) ?? null }));
}
