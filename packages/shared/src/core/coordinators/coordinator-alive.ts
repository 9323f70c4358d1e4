import { appendChangeEvents } from '../../platform/change-log/change-log.ts';
import type { Queryable, Tx } from '../../platform/db/database.ts';
import type { ServiceDeps } from '../deps.ts';
import { waitingMemberships } from '../wake-ups/wake-up-list-queries.ts';
import { isAnySeenSince, markSilent } from './coordinator-queries.ts';

/** A Coordinator without a beat for this long is shown as gone. */
export const COORDINATOR_SILENT_MS = 15_000;
/** A start behind this many others does not depend on the exact second. */
const MAX_WAITING_MEMBERSHIPS = 100;

/** When each Coordinator has been silent that long (core/sweep-step.ts). */
export const SILENT_DEADLINES = `select last_seen_at + interval '${COORDINATOR_SILENT_MS} ms' as at
  from coordinators where silent_since is null`;

/** Whether there is a live Coordinator that could start something. */
export function isCoordinatorAlive(db: Queryable, now: Date): Promise<boolean> {
  return isAnySeenSince(db, new Date(now.getTime() - COORDINATOR_SILENT_MS));
}

/** Reports once for each Coordinator that it has fallen silent. Returns how many. */
export async function noteSilentCoordinators(deps: Pick<ServiceDeps, 'database' | 'clock'>): Promise<number> {
  return deps.database.transaction(async (tx) => {
    const now = await tx.now();
    const seenBefore = new Date(now.getTime() - COORDINATOR_SILENT_MS);
    const silent = await markSilent(tx.db, { seenBefore, now });
    if (silent.length > 0) await notifyCoordinators(tx);
    return silent.length;
  });
}

/**
 * A Coordinator came or went: the list of Coordinators has changed, and so has the status of waiting starts.
 */
export async function notifyCoordinators(tx: Tx): Promise<void> {
  const waiting = await waitingMemberships(tx.db, MAX_WAITING_MEMBERSHIPS);
  await appendChangeEvents(tx, [
    { kind: 'coordinators', projectId: null, ref: {} },
    ...waiting.map(({ projectId, agentId }) => ({ kind: 'session', projectId, ref: { agentId } }) as const),
  ]);
}
