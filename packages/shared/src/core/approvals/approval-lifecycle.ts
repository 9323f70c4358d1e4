import { APPROVAL_LIMITS } from '../../contract/approval.ts';
import { appendChangeEvents } from '../../platform/change-log/change-log.ts';
import { keys } from '../../platform/change-log/keys.ts';
import type { Tx } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import { adoptDecided, type CardKind } from '../cards/card-kind.ts';
import { hasOutcome } from '../cards/rules/card-machine.ts';
import { isSameWork, type MembershipKey, type WorkKey } from '../rules/work-key.ts';
import { noteActivityOfActive } from '../sessions/activity-queries.ts';
import { ApprovalQueries, type ApprovalRecord } from './approval-queries.ts';
import { type ApprovalChange, type ApprovalCommand, decideApproval } from './rules/approval-machine.ts';

/*
 * The state changes of approvals. Every function runs inside the caller's transaction with the membership
 * locked first; an approval is locked after its session.
 */

/**
 * Applies one command to a locked approval; `by`: the person who decides. Null when the rules refused it, or
 * another transaction was faster.
 */
export async function applyApprovalCommand(
  tx: Tx,
  approval: ApprovalRecord,
  command: ApprovalCommand,
  now: Date,
  by?: { decidedBy: string; note: string | null },
): Promise<ApprovalChange | null> {
  const decision = decideApproval(approval, command, now);
  if (!decision.ok) return null;
  const change = decision.value;
  const { toolUseId } = approval;
  const approvals = new ApprovalQueries(tx.db);
  switch (change.to) {
    case 'orphaned':
      await approvals.setOrphaned(toolUseId, now);
      return change;
    case 'claimed':
      await approvals.setSession(toolUseId, { ...change, now });
      return change;
    case 'dropped':
      await approvals.setDropped(toolUseId, now);
      return change;
    case 'cancelled':
      if (!(await approvals.setResolved(toolUseId, { state: change.to, cancelReason: change.reason, now })))
        return null;
      break;
    default:
      if (!(await approvals.setResolved(toolUseId, { state: change.to, ...by, now }))) return null;
  }
  await tellApproval(tx, approval);
  if (approval.sessionId !== null) await noteActivityOfActive(tx.db, approval.sessionId, now);
  return change;
}

/** The page, the held calls of the membership and the agent's status check again. */
export async function tellApproval(
  tx: Tx,
  approval: MembershipKey & { readonly toolUseId: string },
): Promise<void> {
  const { projectId, agentId, toolUseId } = approval;
  await appendChangeEvents(tx, [
    { kind: 'approval', projectId, ref: { toolUseId } },
    { kind: 'session', projectId, ref: { agentId } },
  ]);
  tx.dirty(keys.membership(projectId, agentId));
}

export const APPROVAL_CARDS: CardKind<ApprovalRecord> = {
  queries: (db) => new ApprovalQueries(db),
  apply: applyApprovalCommand,
  mayTakeOver: async (tx, { state }, sessionId) =>
    state !== 'pending' || (await new ApprovalQueries(tx.db).countOpen(sessionId)) < APPROVAL_LIMITS.open,
  notFound: (sentence = 'There is no such approval, or you are not a member of its project.') =>
    new AppError('approval_not_found', sentence),
};

/**
 * A session begins: what people decided after an earlier one for this work had ended is given to it, if a
 * person opened it. Decisions that are too old for that are told to nobody.
 */
export async function adoptDecisions(
  tx: Tx,
  key: WorkKey,
  session: { readonly sessionId: string; readonly isOpened: boolean; readonly now: Date },
): Promise<void> {
  const { sessionId, isOpened, now } = session;
  if (isOpened) await adoptDecided(tx, APPROVAL_CARDS, key, { sessionId, now });
  for (const approval of await new ApprovalQueries(tx.db).lockOfMembership(key))
    if (hasOutcome(approval) && isSameWork(approval, key))
      await applyApprovalCommand(tx, approval, { type: 'orphan_over' }, now);
}
