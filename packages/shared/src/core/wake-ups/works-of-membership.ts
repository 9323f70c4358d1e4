import type { Queryable } from '../../platform/db/database.ts';
import { chatOf, isSameWork, type MembershipKey, type WorkKey, workKeyOf } from '../rules/work-key.ts';
import type { SessionRecord } from '../sessions/session-queries.ts';
import type { WorkView } from './rules/agent-action.ts';
import { findTasksOfStart } from './start-queries.ts';
import { worksWithoutPlace } from './start-queue.ts';
import type { PurposeRecord } from './wake-up-queries.ts';

/** One key of work of a membership, with its row as it was locked. */
export interface Work extends WorkView {
  readonly key: WorkKey;
  readonly row: PurposeRecord | null;
}

/**
 * The work for which the agent could be started: its chat, then the tasks with a row, the longest waiting
 * first, then those with a session only. `rows` and `open` belong to the membership, locked, in the order of
 * their queries. Locks the Coordinator's row when a row waits for a start.
 */
export async function worksOfMembership(
  db: Queryable,
  start: MembershipKey & { readonly coordinatorId?: string | undefined },
  found: { rows: readonly PurposeRecord[]; open: readonly SessionRecord[]; now: Date },
): Promise<Work[]> {
  const { rows, open, now } = found;
  const keys = [chatOf(start)];
  for (const one of [...rows, ...open])
    if (!keys.some((key) => isSameWork(key, one))) keys.push(workKeyOf(one));
  const taskIds = keys.flatMap(({ taskId }) => (taskId === '' ? [] : [taskId]));
  const tasks = taskIds.length === 0 ? [] : await findTasksOfStart(db, start, taskIds);
  const isAnyWaiting = rows.some(({ startedAt }) => startedAt === null);
  const withoutPlace = isAnyWaiting ? await worksWithoutPlace(db, start, now) : [];
  return keys.map((key) => {
    const task = tasks.find(({ taskId }) => taskId === key.taskId);
    return {
      key,
      purpose: key.purpose,
      row: rows.find((row) => isSameWork(row, key)) ?? null,
      session: open.find((session) => isSameWork(session, key)) ?? null,
      hasPlace: !withoutPlace.some((without) => isSameWork(without, key)),
      isProcessLeft: task?.isProcessLeft ?? false,
      isInProgress: task?.isInProgress ?? false,
    };
  });
}
