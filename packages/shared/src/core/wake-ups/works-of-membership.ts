import type { Queryable } from '../../platform/db/database.ts';
import { chatOf, isSameWork, type MembershipKey, type WorkKey, workKeyOf } from '../rules/work-key.ts';
import type { SessionRecord } from '../sessions/session-record.ts';
import { isForSignIn, type WorkView } from './rules/agent-action.ts';
import { findStartableAgent, findTasksOfStart } from './start-queries.ts';
import { worksWithoutPlace } from './start-queue.ts';
import type { WakeUpRecord } from './wake-up-queries.ts';

/** One key of work of a membership, with its row as it was locked. */
export interface Work extends WorkView {
  readonly key: WorkKey;
  readonly row: WakeUpRecord | null;
}

interface Found {
  /** The chat may not be started before the folder of the project is free. */
  readonly isFolderTaken?: boolean;
  readonly rows: readonly WakeUpRecord[];
  readonly open: readonly SessionRecord[];
  readonly now: Date;
}

/**
 * The work for which the agent could be started: its chat, then the tasks with a row, the longest waiting
 * first, then those with a session only. `rows` and `open` belong to the membership, locked, in the order of
 * their queries. Locks the Coordinator's row when a row waits for a start.
 */
export async function worksOfMembership(
  db: Queryable,
  start: MembershipKey & { readonly coordinatorId?: string | undefined },
  found: Found,
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
      isFolderTaken: key.purpose === 'chat' && (found.isFolderTaken ?? false),
      isProcessLeft: task?.isProcessLeft ?? false,
      isInProgress: task?.isInProgress ?? false,
    };
  });
}

/** Those of the rows that a sign-in by passkey may take. Under the same locks, and that of the agent (lockTasksOf). */
export async function rowsForSignIn(
  db: Queryable,
  membership: MembershipKey,
  found: Found,
): Promise<readonly WakeUpRecord[]> {
  if (found.rows.every(({ purpose }) => purpose === 'chat')) return found.rows;
  const agent = await findStartableAgent(db, membership, found.now);
  if (!agent) return [];
  const works = await worksOfMembership(db, membership, found);
  return works.flatMap((work) => (isForSignIn(work, agent) ? [work.row] : []));
}
