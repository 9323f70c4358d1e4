import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import type { FieldChange } from '../tasks/rules/task-history.ts';

export interface HistoryOfTask {
  readonly taskId: string;
  readonly changes: readonly FieldChange[];
}

/** What was changed in a task. `byId` null: the product itself did it. */
export function insertHistory(
  db: Queryable,
  entry: HistoryOfTask & { readonly byId: string | null; readonly now: Date },
): Promise<void> {
  return insertHistories(db, entry, [entry]);
}

/** What one change did to several tasks, however many they are. */
export async function insertHistories(
  db: Queryable,
  { byId, now }: { readonly byId: string | null; readonly now: Date },
  tasks: readonly HistoryOfTask[],
): Promise<void> {
  const rows = tasks.flatMap(({ taskId, changes }) => changes.map((change) => ({ taskId, ...change })));
  if (rows.length === 0) return;
  const column = (values: readonly (string | null)[]) => sql`${values}::text[]`;
  await sql`insert into task_history (id, task_id, field, from_value, to_value, by_id, created_at)
    select *, ${byId}::text, ${now}::timestamptz from unnest(${column(rows.map(() => newId('his')))},
      ${column(rows.map(({ taskId }) => taskId))}, ${column(rows.map(({ field }) => field))},
      ${column(rows.map(({ from }) => from))}, ${column(rows.map(({ to }) => to))})`.execute(db);
}
