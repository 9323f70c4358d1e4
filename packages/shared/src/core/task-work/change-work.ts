import type { Reason } from '../../contract/reason.ts';
import { keys } from '../../platform/change-log/keys.ts';
import type { Tx } from '../../platform/db/database.ts';
import { isSameWork, type WorkKey } from '../rules/work-key.ts';
import { revokeTickets } from '../runs/run-exit-queries.ts';
import { requestRunStop } from '../runs/run-stop.ts';
import { notifyMembership } from '../sessions/notify-membership.ts';
import type { ExitReason } from '../sessions/rules/session-machine.ts';
import { terminateSessions } from '../sessions/session-lifecycle.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import { leaveQueue } from '../wake-ups/start-queue.ts';
import { WakeUpQueries } from '../wake-ups/wake-up-queries.ts';
import { type AttemptEnd, closeAttempt } from './attempt-queries.ts';
import { lockWorkersQuery } from './lock-queries.ts';
import { decideTaskWork, type WorkState } from './rules/task-work.ts';
import { wakeTask } from './wake-task.ts';
import { setBegun } from './work-queries.ts';

/** A change of a task as its work sees it. */
export interface ChangedTask {
  readonly projectId: string;
  readonly taskId: string;
  /** Null: it was made, or deleted. */
  readonly before: WorkState | null;
  readonly after: WorkState | null;
  /** The person who changed it; null: an agent, or the product itself. */
  readonly personId: string | null;
  /** Of the agent that changed it: what it begins continues its chain. */
  readonly chainId?: string | null;
  /** What the agent has reported with it. */
  readonly summary?: string | null;
  /** The same, with what the product says of it, for each reader. */
  readonly summaryReason?: Reason | null;
  /** The agent has done its part; somebody else looks at it. */
  readonly isHandedIn?: boolean;
  readonly now: Date;
}

/**
 * Locks the memberships of these agents, before the tasks that are assigned to them (platform/db/lock-order.ts). The
 * project is locked against other changes of its tasks already, so the assignees do not change meanwhile.
 */
export async function lockWorkers(
  tx: Tx,
  projectId: string,
  agentIds: readonly (string | null | undefined)[],
): Promise<void> {
  const named = [...new Set(agentIds.filter((id) => typeof id === 'string'))];
  if (named.length > 0) await lockWorkersQuery(tx.db, projectId, named);
}

/**
 * The one place in which a change of a task starts and ends work, in the transaction of the change, after it was stored.
 * The memberships of both workers are locked (lockWorkers).
 */
export async function applyTaskChange(tx: Tx, change: ChangedTask): Promise<void> {
  const { projectId, taskId, now } = change;
  const { end, begin } = decideTaskWork(change.before, change.after, change.isHandedIn);
  if (end !== null) {
    const key = keyOf(projectId, end.agentId, taskId);
    await endWork(tx, key, {
      ...end,
      summary: change.summary ?? null,
      summaryReason: change.summaryReason ?? null,
      now,
    });
  }
  if (begin !== null) {
    await setBegun(tx.db, taskId, { startedBy: change.personId, chainId: change.chainId ?? null });
    await wakeTask(tx, keyOf(projectId, begin, taskId), { now });
  }
}

interface WorkEndOrder extends AttemptEnd {
  readonly reason: ExitReason;
  /** A start that nobody has taken goes on waiting. */
  readonly isWaitKept?: boolean;
}

/**
 * Nobody works on it any more: its session is told so, a start for it is taken back, its process ends, its attempt is
 * over. The membership is locked.
 */
export async function endWork(
  tx: Tx,
  key: WorkKey,
  { reason, isWaitKept = false, ...end }: WorkEndOrder,
): Promise<void> {
  const wakeUps = new WakeUpQueries(tx.db);
  const row = await wakeUps.lock(key);
  if (row !== null && !(isWaitKept && row.startedAt === null)) {
    await wakeUps.remove({ ...key, outcome: 'expired', now: end.now });
    if (row.runId !== null) {
      await revokeTickets(tx.db, row.runId, end.now);
      await requestRunStop(tx, row.runId, reason, end.now);
    }
    await leaveQueue(tx, row);
  }
  const open = await new SessionQueries(tx.db).lockOpen(key.projectId, key.agentId);
  await terminateSessions(
    tx,
    open.filter((session) => isSameWork(session, key)),
    reason,
    end.now,
  );
  await closeAttempt(tx.db, key, end);
  await notifyMembership(tx, key);
  // Another task of the agent may begin in its place.
  tx.dirty(keys.work);
}

function keyOf(projectId: string, agentId: string, taskId: string): WorkKey {
  return { projectId, agentId, purpose: 'task', taskId };
}
