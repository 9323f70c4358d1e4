import type { ScheduleOffReason } from '../../contract/schedule.ts';
import { keys } from '../../platform/change-log/keys.ts';
import type { Tx } from '../../platform/db/database.ts';
import { cancelCardsOfMembership } from '../cards/card-ends.ts';
import { failWaiting } from '../chat/delivery/redeliver-messages.ts';
import { insertChatThread } from '../chat/thread-queries.ts';
import { partFromConversations } from '../conversations/conversation-sides.ts';
import type { MembershipKey } from '../rules/work-key.ts';
import { revokeTickets } from '../runs/run-exit-queries.ts';
import { requestRunStop } from '../runs/run-stop.ts';
import { ScheduleQueries } from '../schedules/schedule-queries.ts';
import type { ExitReason } from '../sessions/rules/session-machine.ts';
import { terminateSessions } from '../sessions/session-lifecycle.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import { closeAttemptsOf } from '../task-work/attempt-queries.ts';
import { dropVisionRequests } from '../vision/vision-queries.ts';
import { FAILURE_OF } from '../wake-ups/fail-stranded-messages.ts';
import { WakeUpQueries } from '../wake-ups/wake-up-queries.ts';
import { liveRunsOfMembership, membershipsOfAgent, membersOfProject } from './removal-queries.ts';

/*
 * domain.md "Going away": soft; sessions refused, runs stopped, tickets revoked, rows removed, cards cancelled,
 * schedules off, waiting messages failed with the reason.
 * Everything runs inside the caller's transaction. Several memberships are locked in the order of their ids.
 */

export async function tearDownAgent(tx: Tx, agentId: string, now: Date): Promise<void> {
  for (const membership of await membershipsOfAgent(tx.db, agentId))
    await tearDownMembership(tx, membership, 'agent_deleted', now);
}

/**
 * It stays a member, and its waiting work continues to wait; its sessions by the old credential are refused.
 */
export async function endSessionsOfAgent(tx: Tx, agentId: string, now: Date): Promise<void> {
  const sessions = new SessionQueries(tx.db);
  for (const membership of await membershipsOfAgent(tx.db, agentId)) {
    await sessions.lockMembership(membership.projectId, membership.agentId);
    const open = await sessions.lockOpen(membership.projectId, membership.agentId);
    await terminateSessions(tx, open, 'force_ended', now);
    await sessions.revoke(membership, now);
  }
}

export async function tearDownProject(tx: Tx, projectId: string, now: Date): Promise<void> {
  const agents = await membersOfProject(tx.db, projectId);
  for (const { agentId } of agents)
    await tearDownMembership(tx, { projectId, agentId }, 'project_archived', now);
}

/** Call it before the membership row is deleted: that row is the lock of the membership. */
export async function tearDownMember(tx: Tx, membership: MembershipKey, now: Date): Promise<void> {
  await tearDownMembership(tx, membership, 'removed_from_project', now);
}

/** Creates the chat thread of a new member; a returning member has its old thread. */
export async function setUpMember(tx: Tx, membership: MembershipKey): Promise<void> {
  await insertChatThread(tx.db, membership);
}

async function tearDownMembership(
  tx: Tx,
  membership: MembershipKey,
  reason: ExitReason,
  now: Date,
): Promise<void> {
  const sessions = new SessionQueries(tx.db);
  await sessions.lockMembership(membership.projectId, membership.agentId);
  const open = await sessions.lockOpen(membership.projectId, membership.agentId);
  await failWaiting(tx, membership, FAILURE_OF[reason] ?? 'stopped_by_person', { reason }, now);
  await partFromConversations(tx, membership, { now });
  await terminateSessions(tx, open, reason, now);
  await sessions.revoke(membership, now);
  await cancelCardsOfMembership(tx, membership, now);
  await dropVisionRequests(tx.db, membership);
  tx.dirty(keys.vision(membership.agentId));
  await new ScheduleQueries(tx.db).switchOffOfAgent(membership, SCHEDULE_OFF[reason] ?? 'agent_removed', now);
  await new WakeUpQueries(tx.db).removeOfMembership(membership, { outcome: 'expired', now });
  const outcome = reason === 'project_archived' ? 'stopped' : 'taken_away';
  await closeAttemptsOf(tx.db, membership, { outcome, now });
  const runs = await liveRunsOfMembership(tx.db, membership);
  const runsWithSession = new Set(open.map((session) => session.runId));
  for (const run of runs) {
    // A session that has signed in is given exit and leaves by itself; the others are ended.
    if (runsWithSession.has(run.id)) continue;
    await revokeTickets(tx.db, run.id, now);
    await requestRunStop(tx, run.id, reason, now);
  }
  tx.dirty(keys.membership(membership.projectId, membership.agentId));
}

const SCHEDULE_OFF: Partial<Record<ExitReason, ScheduleOffReason>> = {
  agent_deleted: 'agent_deleted',
  project_archived: 'project_archived',
};
