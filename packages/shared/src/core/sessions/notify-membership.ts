import { appendChangeEvents } from '../../platform/change-log/change-log.ts';
import { keys } from '../../platform/change-log/keys.ts';
import type { Tx } from '../../platform/db/database.ts';

/** Readers of the page and held calls of the membership check again. */
export async function notifyMembership(
  tx: Tx,
  membership: { readonly projectId: string; readonly agentId: string },
): Promise<void> {
  await appendChangeEvents(tx, [
    { kind: 'session', projectId: membership.projectId, ref: { agentId: membership.agentId } },
  ]);
  tx.dirty(keys.membership(membership.projectId, membership.agentId));
}
