import { couldHear } from '../sessions/listening-queries.ts';
import { rowStep } from '../sweep-step.ts';
import { noteRunExit } from './run-exit.ts';
import {
  unwatchedRuns as findUnwatched,
  isUnwatched,
  UNWATCHED_DEADLINES,
  UNWATCHED_MS,
  type UnwatchedRun,
} from './run-exit-queries.ts';

/**
 * A start that was taken without naming a Coordinator, or by one that sends no beats, cannot become lost:
 * when no session and no wake-up exists for the run any more and its end was not reported, it is given up
 * here.
 */
export const unwatchedRuns = rowStep<UnwatchedRun>({
  deadlines: UNWATCHED_DEADLINES,
  candidates: async ({ deps }, after, limit) => {
    const now = await deps.database.now();
    const since = new Date(now.getTime() - UNWATCHED_MS);
    const runs = await findUnwatched(deps.database.db, { since, after, limit });
    // Nobody may have received the report of its end.
    return runs.length > 0 && (await couldHear(deps.database.db, now, UNWATCHED_MS)) ? runs : [];
  },
  nameOf: ({ id }) => id,
  act: async ({ deps }, { id }) => {
    await noteRunExit(deps, { runId: id, exitCode: null }, 'lost', async (tx) => {
      const since = new Date((await tx.now()).getTime() - UNWATCHED_MS);
      // A Coordinator may have listed it meanwhile; then the run belongs to that Coordinator.
      return isUnwatched(tx.db, id, since);
    });
    return true;
  },
});
