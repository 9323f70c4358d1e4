import { notifyMembership } from '../sessions/notify-membership.ts';
import { applySessionCommand } from '../sessions/session-lifecycle.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import { rowStep } from '../sweep-step.ts';
import { failUndeliverable } from './fail-stranded-messages.ts';
import {
  type UnwokenMembership,
  unwokenMemberships,
  WAITING_DEADLINES,
  YOUNG_MS,
} from './waiting-queries.ts';
import { wakeIfWaiting } from './wake.ts';

/**
 * A stored message to an agent without a live session and without a wake-up gets a wake-up; never the other
 * way round. When no session can come any more, it fails.
 */
export const missingWakeUps = rowStep<UnwokenMembership>({
  deadlines: WAITING_DEADLINES,
  candidates: ({ deps }, after, limit) => {
    const storedBefore = new Date(deps.clock.now().getTime() - YOUNG_MS);
    return unwokenMemberships(deps.database.db, { storedBefore, after, limit });
  },
  nameOf: ({ projectId, agentId }) => `${projectId}/${agentId}`,
  act: ({ deps }, membership) =>
    deps.database.transaction(async (tx) => {
      const sessions = new SessionQueries(tx.db);
      const isMember = await sessions.lockMembership(membership.projectId, membership.agentId);
      const now = await tx.now();
      if (await failUndeliverable(tx, membership, now)) return true;
      if (!isMember) return false;
      const ending = (await sessions.lockOpen(membership.projectId, membership.agentId)).find(
        (one) => one.purpose === 'chat',
      );
      if (ending && (await applySessionCommand(tx, ending, { type: 'revive' }, now)) !== null) {
        await notifyMembership(tx, membership);
        return true;
      }
      return wakeIfWaiting(tx, membership, { openedBy: membership.openedBy, now });
    }),
});
