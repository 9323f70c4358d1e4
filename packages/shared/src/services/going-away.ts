import { keys } from '../changes/keys.ts';
import type { FailureCode } from '../contract/chat.ts';
import type { ScheduleOffReason } from '../contract/schedule.ts';
import type { Tx } from '../db/database.ts';
import { PurposeRepository } from '../db/repositories/purpose-repository.ts';
import { ScheduleRepository } from '../db/repositories/schedule-repository.ts';
import { SessionRepository } from '../db/repositories/session-repository.ts';
import type { ExitReason } from '../domain/session/session-machine.ts';
import { chatThreadId } from './chat-transaction.ts';
import { partFromConversations } from './conversation-sides.ts';
import { cancelQuestionsOfPair } from './question-lifecycle.ts';
import { requestRunStop } from './run-stop.ts';
import { failWaiting, terminateSessions } from './session-lifecycle.ts';

/*
 * domain.md "Going away": soft; sessions refused, runs stopped, tickets revoked, rows removed, questions cancelled,
 * schedules off, waiting messages failed with the reason.
 * Everything runs inside the caller's transaction. Several pairs are locked in the order of their ids.
 */

type Pair = { readonly projectId: string; readonly agentId: string };

export async function agentGoesAway(tx: Tx, agentId: string, now: Date): Promise<void> {
  for (const pair of await pairsOf(tx, agentId)) await pairGoesAway(tx, pair, 'agent_deleted', now);
}

/** It stays a member, and what waits for it goes on waiting; who holds a session of it by the old credential is refused. */
export async function agentLosesCredential(tx: Tx, agentId: string, now: Date): Promise<void> {
  const sessions = new SessionRepository(tx.db);
  for (const pair of await pairsOf(tx, agentId)) {
    await sessions.lockPair(pair.projectId, pair.agentId);
    const open = await sessions.lockOpen(pair.projectId, pair.agentId);
    await terminateSessions(tx, open, 'force_ended', now);
    await sessions.revoke(pair, now);
  }
}

function pairsOf(tx: Tx, agentId: string): Promise<Pair[]> {
  return tx.db
    .selectFrom('projectAgents')
    .select(['projectId', 'agentId'])
    .where('agentId', '=', agentId)
    .orderBy('projectId')
    .execute();
}

export async function projectGoesAway(tx: Tx, projectId: string, now: Date): Promise<void> {
  const agents = await tx.db
    .selectFrom('projectAgents')
    .select('agentId')
    .where('projectId', '=', projectId)
    .orderBy('agentId')
    .execute();
  for (const { agentId } of agents) await pairGoesAway(tx, { projectId, agentId }, 'project_archived', now);
}

/** Call it before the membership row is deleted: that row is the pair's lock. */
export async function memberGoesAway(tx: Tx, pair: Pair, now: Date): Promise<void> {
  await pairGoesAway(tx, pair, 'removed_from_project', now);
}

/** Makes the chat thread of a new member; a returning one finds its old thread. */
export async function memberArrives(tx: Tx, pair: Pair): Promise<void> {
  await tx.db
    .insertInto('chatThreads')
    .values({ id: chatThreadId(pair.projectId, pair.agentId), ...pair })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/**
 * The fast path of a post takes no lock of the pair: a message may be stored in the very moment of a going-away. It
 * fails like those that waited before it. False: nobody went away, or nothing waits. The sweeper's.
 */
export async function failStranded(tx: Tx, pair: Pair, now: Date): Promise<boolean> {
  const agent = await tx.db
    .selectFrom('agents')
    .leftJoin('projects', (join) =>
      join
        .on('projects.id', '=', pair.projectId)
        .on('projects.deletedAt', 'is', null)
        .on('projects.status', '<>', 'archived'),
    )
    .leftJoin('projectAgents', (join) =>
      join
        .onRef('projectAgents.agentId', '=', 'agents.id')
        .on('projectAgents.projectId', '=', pair.projectId),
    )
    .select(['agents.deletedAt', 'projects.id as projectId', 'projectAgents.agentId as memberId'])
    .where('agents.id', '=', pair.agentId)
    .executeTakeFirst();
  const reason = reasonOf(agent);
  if (reason === null) return false;
  return (await failWaiting(tx, pair, FAILURE_OF[reason] ?? 'stopped_by_person', { reason }, now)) > 0;
}

function reasonOf(
  agent: { deletedAt: Date | null; projectId: string | null; memberId: string | null } | undefined,
): ExitReason | null {
  if (!agent || agent.deletedAt !== null) return 'agent_deleted';
  if (agent.projectId === null) return 'project_archived';
  return agent.memberId === null ? 'removed_from_project' : null;
}

async function pairGoesAway(tx: Tx, pair: Pair, reason: ExitReason, now: Date): Promise<void> {
  const sessions = new SessionRepository(tx.db);
  await sessions.lockPair(pair.projectId, pair.agentId);
  const open = await sessions.lockOpen(pair.projectId, pair.agentId);
  await failWaiting(tx, pair, FAILURE_OF[reason] ?? 'stopped_by_person', { reason }, now);
  await partFromConversations(tx, pair, { now });
  await terminateSessions(tx, open, reason, now);
  await sessions.revoke(pair, now);
  await cancelQuestionsOfPair(tx, pair, now);
  await new ScheduleRepository(tx.db).switchOffOfAgent(pair, SCHEDULE_OFF[reason] ?? 'agent_removed', now);
  await new PurposeRepository(tx.db).remove({ ...pair, outcome: 'expired', now });
  const runs = await tx.db
    .selectFrom('agentRuns')
    .select('id')
    .where('projectId', '=', pair.projectId)
    .where('agentId', '=', pair.agentId)
    .where('state', '<>', 'exited')
    .execute();
  const runsWithSession = new Set(open.map((session) => session.runId));
  for (const run of runs) {
    // One that has signed in hears exit and leaves by itself; the others are ended.
    if (runsWithSession.has(run.id)) continue;
    await tx.db.updateTable('launchTickets').set({ revokedAt: now }).where('runId', '=', run.id).execute();
    await requestRunStop(tx, run.id, reason, now);
  }
  tx.dirty(keys.pair(pair.projectId, pair.agentId));
}

const SCHEDULE_OFF: Partial<Record<ExitReason, ScheduleOffReason>> = {
  agent_deleted: 'agent_deleted',
  project_archived: 'project_archived',
};
const FAILURE_OF: Partial<Record<ExitReason, FailureCode>> = { agent_deleted: 'agent_deleted' };
