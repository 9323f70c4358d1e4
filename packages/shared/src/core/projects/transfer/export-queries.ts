import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../../../platform/db/database.ts';
import { ATTEMPT_OUTCOMES } from '../../task-work/rules/task-work.ts';
import { TASK_FIELDS } from '../../tasks/rules/task-fields.ts';

export interface ExportedAgent {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly isMember: boolean;
}

/** One that hangs on a task. */
interface Hanging {
  readonly id: string;
  readonly taskId: string;
  readonly createdAt: Date;
}

/** The last that was read: the next page begins behind it. */
export type Place = Hanging | undefined;

/** Of a long text at most 80 kB are stored, so a page holds some MB. */
const PAGE_ROWS = 50;
const PAGE_CHANGES = 500;

/** The members of a project in the order of their ids, behind this id. */
export async function exportedMembers(
  db: Queryable,
  projectId: string,
  behind: string,
): Promise<ExportedAgent[]> {
  const { rows } = await sql<ExportedAgent>`
    select a.id, a.name, a.type, true as is_member from project_agents pa join agents a on a.id = pa.agent_id
    where pa.project_id = ${projectId} and a.deleted_at is null and a.id > ${behind}
    order by a.id limit ${PAGE_CHANGES}`.execute(db);
  return rows;
}

/** Whoever this is, also when it was deleted. */
export async function exportedAgents(db: Queryable, ids: readonly string[]): Promise<ExportedAgent[]> {
  const { rows } = await sql<ExportedAgent>`
    select id, name, type, false as is_member from agents where id = any(${ids}::text[]) order by id`.execute(
    db,
  );
  return rows;
}

export function exportedComments(db: Queryable, taskIds: readonly string[], place: Place) {
  return page<Hanging & { authorId: string | null; body: string }>(db, {
    columns: sql`author_id, body`,
    of: sql`task_comments`,
    taskIds,
    place,
    limit: PAGE_ROWS,
  });
}

export async function exportedHistory(db: Queryable, taskIds: readonly string[], place: Place) {
  const rows = await page<
    Hanging & { byId: string | null; field: string; fromValue: string | null; toValue: string | null }
  >(db, {
    columns: sql`by_id, field, from_value, to_value`,
    of: sql`task_history`,
    taskIds,
    place,
    limit: PAGE_CHANGES,
  });
  return rows.map((row) => ({ ...row, field: TASK_FIELDS.find((one) => one === row.field) }));
}

export function exportedContexts(db: Queryable, taskIds: readonly string[], place: Place) {
  return page<Hanging & { agentId: string | null; attempt: number | null; body: string }>(db, {
    columns: sql`agent_id, attempt, body`,
    of: sql`task_contexts`,
    taskIds,
    place,
    limit: PAGE_ROWS,
  });
}

/** Behind the attempt `n` of the task of `place`. */
export async function exportedAttempts(
  db: Queryable,
  taskIds: readonly string[],
  place: { readonly taskId: string; readonly n: number } | undefined,
) {
  const { rows } = await sql<{
    taskId: string;
    n: number;
    agentId: string;
    startedAt: Date;
    endedAt: Date | null;
    outcome: string | null;
    summary: string | null;
  }>`
    select task_id, n, agent_id, started_at, ended_at, outcome, summary from task_attempts
    where task_id = any(${taskIds}::text[])
      and (task_id, n) > (${place?.taskId ?? ''}, ${place?.n ?? 0}::integer)
    order by task_id, n limit ${PAGE_ROWS}`.execute(db);
  return rows.map((row) => ({ ...row, outcome: ATTEMPT_OUTCOMES.find((one) => one === row.outcome) }));
}

/** Read by the index that each of these tables has on (task_id, created_at, id). */
async function page<T extends Hanging>(
  db: Queryable,
  options: {
    readonly columns: RawBuilder<unknown>;
    readonly of: RawBuilder<unknown>;
    readonly taskIds: readonly string[];
    readonly place: Place;
    readonly limit: number;
  },
): Promise<T[]> {
  const { columns, of, taskIds, place, limit } = options;
  const behind = place
    ? sql`(task_id, created_at, id) > (${place.taskId}, ${place.createdAt}::timestamptz, ${place.id})`
    : sql`true`;
  const { rows } = await sql<T>`
    select id, task_id, created_at, ${columns} from ${of}
    where task_id = any(${taskIds}::text[]) and ${behind}
    order by task_id, created_at, id limit ${limit}`.execute(db);
  return rows;
}
