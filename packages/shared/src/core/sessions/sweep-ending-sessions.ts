import { requestRunStop } from '../runs/run-stop.ts';
import { rowStep } from '../sweep-step.ts';
import { TERMINATING_AFTER_ACKNOWLEDGED_MS } from './rules/session-machine.ts';
import { applySessionCommand } from './session-lifecycle.ts';
import { SessionQueries } from './session-queries.ts';
import {
  DEAD_RUN_SILENCE_MS,
  ENDING_DEADLINES,
  type EndingSession,
  endingSessions as findEnding,
} from './sweep-queries.ts';

/** Sessions whose end was acknowledged long enough ago, or whose run is over and that fell silent. */
export const endingSessions = rowStep<EndingSession>({
  deadlines: ENDING_DEADLINES,
  candidates: ({ deps }, after, limit) => {
    const now = deps.clock.now().getTime();
    return findEnding(deps.database.db, {
      acknowledgedBefore: new Date(now - TERMINATING_AFTER_ACKNOWLEDGED_MS),
      silentSince: new Date(now - DEAD_RUN_SILENCE_MS),
      after,
      limit,
    });
  },
  nameOf: ({ id }) => id,
  act: ({ deps }, found) =>
    deps.database.transaction(async (tx) => {
      const sessions = new SessionQueries(tx.db);
      await sessions.lockMembership(found.projectId, found.agentId);
      const session = await sessions.lockById(found.id);
      if (!session) return false;
      const now = await tx.now();
      const type = found.runOver ? 'finish' : 'grace_over';
      if ((await applySessionCommand(tx, session, { type }, now)) === null) return false;
      // The grace is over: the process is ended.
      if (found.runId !== null && !found.runOver)
        await requestRunStop(tx, found.runId, session.end?.reason ?? 'run_stopped', now);
      return true;
    }),
});
