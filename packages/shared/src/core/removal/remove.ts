import type { ScheduleOffReason } from '../../contract/schedule.ts';
import { keys } from '../../platform/changes/keys.ts';
import type { Tx } from '../../platform/db/database.ts';
import { failWaiting } from '../chat/delivery/redeliver-messages.ts';
import { insertChatThread } from '../chat/thread-queries.ts';
import { partFromConversations } from '../conversations/conversation-sides.ts';
import { cancelQuestionsOfPair } from '../questions/question-lifecycle.ts';
import { revokeTickets } from '../runs/run-exit-queries.ts';
import { requestRunStop } from '../runs/run-stop.ts';
import { ScheduleQueries } from '../schedules/schedule-queries.ts';
import type { ExitReason } from '../sessions/rules/session-machine.ts';
import { terminateSessions } from '../sessions/session-lifecycle.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import { FAILURE_OF } from '../wake-ups/fail-stranded-messages.ts';
import { WakeUpQueries } from '../wake-ups/wake-up-queries.ts';
import { liveRunsOfPair, membersOfProject, pairsOfAgent } from './removal-queries.ts';

/*
 * domain.md "Going away": soft; sessions refused, runs stopped, tickets revoked, rows removed, questions cancelled,
 * schedules off, waiting messages failed with the reason.
 * Everything runs inside the caller's transaction. Several pairs are locked in the order of their ids.
 */

type Pair = { readonly projectId: string; readonly agentId: string };

export async function tearDownAgent(tx: Tx, agentId: string, now: Date): Promise<void> {
  for (const pair of await pairsOfAgent(tx.db, agentId)) await tearDownPair(tx, pair, 'agent_deleted', now);
}

/** It stays a member, and what waits for it goes on waiting; who holds a session of it by the old credential is refused. */
export async function endSessionsOfAgent(tx: Tx, agentId: string, now: Date): Promise<void> {
  const sessions = new SessionQueries(tx.db);
  for (const pair of await pairsOfAgent(tx.db, agentId)) {
    await sessions.lockPair(pair.projectId, pair.agentId);
    const open = await sessions.lockOpen(pair.projectId, pair.agentId);
    await terminateSessions(tx, open, 'force_ended', now);
    await sessions.revoke(pair, now);
  }
}

export async function tearDownProject(tx: Tx, projectId: string, now: Date): Promise<void> {
  const agents = await membersOfProject(tx.db, projectId);
  for (const { agentId } of agents) await tearDownPair(tx, { projectId, agentId }, 'project_archived', now);
}

/** Call it before the membership row is deleted: that row is the pair's lock. */
export async function tearDownMember(tx: Tx, pair: Pair, now: Date): Promise<void> {
  await tearDownPair(tx, pair, 'removed_from_project', now);
}

/** Makes the chat thread of a new member; a returning one finds its old thread. */
export async function setUpMember(tx: Tx, pair: Pair): Promise<void> {
  await insertChatThread(tx.db, pair);
}

async function tearDownPair(tx: Tx, pair: Pair, reason: ExitReason, now: Date): Promise<void> {
  const sessions = new SessionQueries(tx.db);
  await sessions.lockPair(pair.projectId, pair.agentId);
  const open = await sessions.lockOpen(pair.projectId, pair.agentId);
  await failWaiting(tx, pair, FAILURE_OF[reason] ?? 'stopped_by_person', { reason }, now);
  await partFromConversations(tx, pair, { now });
  await terminateSessions(tx, open, reason, now);
  await sessions.revoke(pair, now);
  await cancelQuestionsOfPair(tx, pair, now);
  await new ScheduleQueries(tx.db).switchOffOfAgent(pair, SCHEDULE_OFF[reason] ?? 'agent_removed', now);
  await new WakeUpQueries(tx.db).removeOfPair(pair, { outcome: 'expired', now });
  const runs = await liveRunsOfPair(tx.db, pair);
  const runsWithSession = new Set(open.map((session) => session.runId));
  for (const run of runs) {
    // One that has signed in hears exit and leaves by itself; the others are ended.
    if (runsWithSession.has(run.id)) continue;
    await revokeTickets(tx.db, run.id, now);
    await requestRunStop(tx, run.id, reason, now);
  }
  tx.dirty(keys.pair(pair.projectId, pair.agentId));
}

const SCHEDULE_OFF: Partial<Record<ExitReason, ScheduleOffReason>> = {
  agent_deleted: 'agent_deleted',
  project_archived: 'project_archived',
};
