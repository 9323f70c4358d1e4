import { applySessionCommand } from '../sessions/session-lifecycle.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import { notifyPair } from '../sessions/tell-pair.ts';
import { rowStep } from '../sweep-step.ts';
import { failUndeliverable } from './fail-stranded-messages.ts';
import { type UnwokenPair, unwokenPairs, WAITING_DEADLINES, YOUNG_MS } from './waiting-queries.ts';
import { wakeIfWaiting } from './wake.ts';

/**
 * A stored message to an agent with nothing live and no wake-up gets one; never the other way round. Where nobody can
 * come any more, it fails.
 */
export const missingWakeUps = rowStep<UnwokenPair>({
  deadlines: WAITING_DEADLINES,
  candidates: ({ deps }, after, limit) => {
    const storedBefore = new Date(deps.clock.now().getTime() - YOUNG_MS);
    return unwokenPairs(deps.database.db, { storedBefore, after, limit });
  },
  nameOf: ({ projectId, agentId }) => `${projectId}/${agentId}`,
  act: ({ deps }, pair) =>
    deps.database.transaction(async (tx) => {
      const sessions = new SessionQueries(tx.db);
      const isMember = await sessions.lockPair(pair.projectId, pair.agentId);
      const now = await tx.now();
      if (await failUndeliverable(tx, pair, now)) return true;
      if (!isMember) return false;
      const ending = (await sessions.lockOpen(pair.projectId, pair.agentId)).find(
        (one) => one.purpose === 'chat',
      );
      if (ending && (await applySessionCommand(tx, ending, { type: 'revive' }, now)) !== null) {
        await notifyPair(tx, pair);
        return true;
      }
      return wakeIfWaiting(tx, pair, { openedBy: pair.openedBy, now });
    }),
});
