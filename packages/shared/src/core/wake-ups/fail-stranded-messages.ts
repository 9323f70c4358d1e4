import type { FailureCode } from '../../contract/chat.ts';
import type { Tx } from '../../platform/db/database.ts';
import { failWaiting } from '../chat/delivery/redeliver-messages.ts';
import type { MembershipKey } from '../rules/work-key.ts';
import type { ExitReason } from '../sessions/rules/session-machine.ts';
import { findRemains } from './waiting-queries.ts';

/**
 * The fast path of a post does not lock the membership: a message may be stored at the moment of a removal.
 * It fails like those that waited before it. False: nothing was removed, or nothing waits. Called by the
 * sweeper.
 */
export async function failUndeliverable(tx: Tx, membership: MembershipKey, now: Date): Promise<boolean> {
  const agent = await findRemains(tx.db, membership);
  const reason = reasonOf(agent);
  if (reason === null) return false;
  return (await failWaiting(tx, membership, FAILURE_OF[reason] ?? 'stopped_by_person', { reason }, now)) > 0;
}

function reasonOf(
  agent: { deletedAt: Date | null; projectId: string | null; memberId: string | null } | undefined,
): ExitReason | null {
  if (!agent || agent.deletedAt !== null) return 'agent_deleted';
  if (agent.projectId === null) return 'project_archived';
  return agent.memberId === null ? 'removed_from_project' : null;
}

/** Why messages to an agent that was removed have failed; for every other reason: stopped by a person. */
export const FAILURE_OF: Partial<Record<ExitReason, FailureCode>> = { agent_deleted: 'agent_deleted' };
