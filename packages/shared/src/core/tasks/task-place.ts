import { appendChangeEvents } from '../../platform/change-log/change-log.ts';
import type { Tx } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import { endOfColumn, positionBetween } from './rules/task-place.ts';
import type { TaskStatus } from './rules/task-status.ts';
import { taskFact } from './task-fact.ts';
import { nextPosition, positionIn, spreadColumn } from './task-place-queries.ts';

interface Move {
  readonly projectId: string;
  readonly taskId: string;
  /** The column in which it stands after the change. */
  readonly status: TaskStatus;
  /** The task above it; null: it is the first. */
  readonly after: string | null;
  readonly now: Date;
}

/**
 * The position of a task that was put into its place. The project is locked against other changes of its tasks
 * (lockTasksOfProject), so two moves into one gap get different places. @throws AppError task_not_found
 */
export async function placeOf(tx: Tx, move: Move): Promise<number> {
  const position = await tryPlace(tx, move);
  if (position !== 'spread') return position;
  const changed = await spreadColumn(tx.db, move, { without: move.taskId });
  await appendChangeEvents(
    tx,
    changed.map((id) => taskFact(move.projectId, id)),
  );
  const wider = await tryPlace(tx, move);
  if (wider === 'spread') throw new Error('a column that was spread has no room');
  return wider;
}

async function tryPlace(tx: Tx, { taskId, after, now, ...column }: Move): Promise<number | 'spread'> {
  const position = after === null ? null : await positionIn(tx.db, column, after);
  if (position === undefined || after === taskId)
    throw new AppError('task_not_found', 'after must name another task of the column.');
  const above = position === null || after === null ? null : { position, id: after };
  const below = await nextPosition(tx.db, column, { above, without: taskId });
  return positionBetween(position, below, endOfColumn(now));
}
