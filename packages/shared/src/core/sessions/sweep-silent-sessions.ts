import type { ServiceDeps } from '../deps.ts';
import { requestRunStop } from '../runs/run-stop.ts';
import { rowStep } from '../sweep-step.ts';
import { couldHear } from './listening-queries.ts';
import type { Silence } from './rules/session-machine.ts';
import { applySessionCommand } from './session-lifecycle.ts';
import { SessionQueries } from './session-queries.ts';
import {
  ABANDONED_DEADLINES,
  type AbandonedRun,
  abandonedRuns as findAbandoned,
  silentSessions as findSilent,
  SEEN_DELAY_MS,
  SILENT_DEADLINES,
  type SilentSession,
  silenceOf,
} from './sweep-queries.ts';

/**
 * Ends sessions that have died without a report while a message waits for them (trap 23), and their processes; the message is given to the next session.
 */
export const silentSessions = rowStep<SilentSession>({
  deadlines: SILENT_DEADLINES,
  candidates: async ({ deps }, after, limit) => {
    const silentSince = await quietSince(deps);
    return findSilent(deps.database.db, { silentSince, after, limit });
  },
  nameOf: ({ id }) => id,
  act: ({ deps }, session) => endSilent(deps, session),
});

/**
 * Ends processes that remained after their session was over, when they made no call for the idle time: one
 * that hangs after its logout would keep its place for ever.
 */
export const abandonedRuns = rowStep<AbandonedRun>({
  deadlines: ABANDONED_DEADLINES,
  candidates: async ({ deps }, after, limit) => {
    const { db } = deps.database;
    const silentSince = await quietSince(deps);
    const runs = await findAbandoned(db, { silentSince, after, limit });
    if (runs.length === 0) return runs;
    return (await couldHear(db, deps.clock.now(), await silenceMs(deps))) ? runs : [];
  },
  nameOf: ({ id }) => id,
  act: ({ deps }, { id }) =>
    deps.database.transaction(async (tx) => requestRunStop(tx, id, 'session_timeout', await tx.now())),
});

async function endSilent(deps: ServiceDeps, found: SilentSession): Promise<boolean> {
  const timeoutMs = await silenceMs(deps);
  return deps.database.transaction(async (tx) => {
    const sessions = new SessionQueries(tx.db);
    await sessions.lockMembership(found.projectId, found.agentId);
    const session = await sessions.lockById(found.id);
    if (!session) return false;
    const now = await tx.now();
    const row = await silenceOf(tx.db, found.id);
    if (!row) return false;
    const { lastSeenAt, beatUntil, waitingSince } = row;
    const inTurn = beatUntil !== null && beatUntil > now;
    const work = await sessions.work(session.id);
    // A session whose calls could not be received was not silent (trap 27).
    const couldBeHeard = await couldHear(tx.db, now, timeoutMs);
    const silence: Silence = { couldBeHeard, timeoutMs, lastSeenAt, inTurn, waitingSince };
    if ((await applySessionCommand(tx, session, { type: 'silent', work, silence }, now)) === null)
      return false;
    if (session.runId !== null) await requestRunStop(tx, session.runId, 'session_silent', now);
    return true;
  });
}

async function quietSince(deps: ServiceDeps): Promise<Date> {
  return new Date(deps.clock.now().getTime() - (await silenceMs(deps)));
}

async function silenceMs(deps: ServiceDeps): Promise<number> {
  return (await deps.settings.current()).sessionIdleTimeoutSeconds * 1_000 + SEEN_DELAY_MS;
}
