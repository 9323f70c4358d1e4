import { appendChangeEvents } from '../../platform/changes/change-log.ts';
import type { Queryable, Tx } from '../../platform/db/database.ts';
import type { ServiceDeps } from '../deps.ts';
import { waitingMemberships } from '../wake-ups/wake-up-list-queries.ts';
import { isAnySeenSince, markSilent } from './coordinator-queries.ts';

/** A Coordinator that was not heard for this long is shown as gone. */
export const COORDINATOR_SILENT_MS = 15_000;
/** Whoever waits behind so many does not look at the second. */
const MOST_WAITING_TOLD = 100;

/** When each has been silent that long (core/sweep-step.ts). */
export const SILENT_DEADLINES = `select last_seen_at + interval '${COORDINATOR_SILENT_MS} ms' as at
  from coordinators where silent_since is null`;

/** Whether anybody is there who could start something. */
export function isCoordinatorAlive(db: Queryable, now: Date): Promise<boolean> {
  return isAnySeenSince(db, new Date(now.getTime() - COORDINATOR_SILENT_MS));
}

/** Says once of each Coordinator that it has fallen silent. Counts them. */
export async function noteSilentCoordinators(deps: Pick<ServiceDeps, 'database' | 'clock'>): Promise<number> {
  return deps.database.transaction(async (tx) => {
    const now = await tx.now();
    const seenBefore = new Date(now.getTime() - COORDINATOR_SILENT_MS);
    const silent = await markSilent(tx.db, { seenBefore, now });
    if (silent.length > 0) await notifyCoordinators(tx);
    return silent.length;
  });
}

/** One came or went: its list has changed, and what those hear who wait for a start. */
export async function notifyCoordinators(tx: Tx): Promise<void> {
  const waiting = await waitingMemberships(tx.db, MOST_WAITING_TOLD);
  await appendChangeEvents(tx, [
    { kind: 'coordinators', projectId: null, ref: {} },
    ...waiting.map(({ projectId, agentId }) => ({ kind: 'session', projectId, ref: { agentId } }) as const),
  ]);
}
