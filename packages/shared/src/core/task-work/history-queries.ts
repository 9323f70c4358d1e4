import type { Queryable } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import type { FieldChange } from '../tasks/rules/task-history.ts';

/** What was changed in a task. `byId` null: the product itself did it. */
export async function insertHistory(
  db: Queryable,
  entry: { taskId: string; byId: string | null; changes: readonly FieldChange[]; now: Date },
): Promise<void> {
  const { taskId, byId, changes, now } = entry;
  if (changes.length === 0) return;
  await db
    .insertInto('taskHistory')
    .values(
      changes.map(({ field, from, to }) => ({
        id: newId('his'),
        taskId,
        byId,
        field,
        fromValue: from,
        toValue: to,
        createdAt: now,
      })),
    )
    .execute();
}
