import type { Queryable, Tx } from '../../platform/db/database.ts';
import type { ServiceDeps } from '../deps.ts';
import { couldHear } from '../sessions/listening-queries.ts';
import { applySessionCommand, endSession } from '../sessions/session-lifecycle.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import { rowStep } from '../sweep-step.ts';
import { noteRunExit } from './run-exit.ts';
import {
  stalledSessions as findStalled,
  lockIfStalled,
  RUNNER_SILENCE_MS,
  STALLED_DEADLINES,
  type StalledSession,
} from './stalled-queries.ts';

/**
 * A session whose turn exceeds the limit, and a run of our own runner without heartbeats, are given up as
 * stalled: the work is returned, the process is ended. For a session without a run nobody would report the
 * end, so this step returns a message that was held when the agent died (trap 19).
 */
export const stalledSessions = rowStep<StalledSession>({
  deadlines: STALLED_DEADLINES,
  candidates: async ({ deps, awakeSince }, after, limit) => {
    const now = await deps.database.now();
    const couldWeHear = awakeSince <= now.getTime() - RUNNER_SILENCE_MS;
    const silentSince = couldWeHear ? await silenceSince(deps.database.db, now) : null;
    const turnsBefore = await turnsSince(deps);
    return findStalled(deps.database.db, { turnsBefore, silentSince, after, limit });
  },
  nameOf: ({ id }) => id,
  act: async ({ deps }, session) => {
    if (session.runId === null) await endTurn(deps, session);
    else {
      const since = await turnsSince(deps);
      const isStill = (tx: Tx) => isStillStalled(tx, session.id, since);
      await noteRunExit(deps, { runId: session.runId, exitCode: null }, 'stalled', isStill);
    }
    return true;
  },
});

async function silenceSince(db: Queryable, now: Date): Promise<Date | null> {
  const isSound = await couldHear(db, now, RUNNER_SILENCE_MS);
  return isSound ? new Date(now.getTime() - RUNNER_SILENCE_MS) : null;
}

/** Checked under its lock: it may have sent a heartbeat or an answer meanwhile. */
async function isStillStalled(tx: Tx, sessionId: string, turnsBefore: Date | null): Promise<boolean> {
  const silentSince = await silenceSince(tx.db, await tx.now());
  return lockIfStalled(tx.db, sessionId, { turnsBefore, silentSince });
}

/** Null: turns have no limit. */
async function turnsSince(deps: ServiceDeps): Promise<Date | null> {
  const turnMs = (await deps.settings.current()).turnTimeoutSeconds * 1_000;
  return turnMs === 0 ? null : new Date(deps.clock.now().getTime() - turnMs);
}

async function endTurn(deps: ServiceDeps, found: StalledSession): Promise<void> {
  const since = await turnsSince(deps);
  await deps.database.transaction(async (tx) => {
    const sessions = new SessionQueries(tx.db);
    await sessions.lockMembership(found.projectId, found.agentId);
    const session = await sessions.lockById(found.id);
    // It may have answered meanwhile.
    if (!session || since === null || session.lastActivityAt > since) return;
    await applySessionCommand(tx, session, { type: 'end', reason: 'run_stopped' }, await tx.now());
    // As of a run that stalled: a task would be begun for ever.
    if (session.purpose === 'task') await endSession(tx, session, 'crashed', await tx.now());
    else await applySessionCommand(tx, session, { type: 'finish' }, await tx.now());
  });
}
