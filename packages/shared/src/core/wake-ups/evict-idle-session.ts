import { appendChangeEvents } from '../../platform/changes/change-log.ts';
import type { Queryable, Tx } from '../../platform/db/database.ts';
import { ViewerQueries } from '../chat/viewer-queries.ts';
import type { ServiceDeps } from '../deps.ts';
import { applySessionCommand } from '../sessions/session-lifecycle.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import type { Attempt } from '../sweep-step.ts';
import {
  findIdleLongest,
  hasPlace,
  type IdleSession,
  isRoomWanted,
  lockAllPlaces,
  lockPlacesOf,
} from './place-queries.ts';
import { queuedPairs } from './wake-up-list-queries.ts';
import type { PurposeRecord } from './wake-up-queries.ts';

/*
 * Coordinators have so many places. A wake-up that finds none waits in one queue, oldest first, and the warm session that has
 * been idle longest makes room.
 */

/** Behind so many the position is not refreshed at once. */
const QUEUE_TOLD = 100;
/** In one round; the next is a second away. */
const MOST_EVICTIONS = 20;

/** Under the Coordinator's row lock: two starts at once never share the last place (I-9). */
export async function hasFreePlace(
  db: Queryable,
  coordinatorId: string | undefined,
  now: Date,
): Promise<boolean> {
  if (coordinatorId === undefined) return true;
  await lockPlacesOf(db, coordinatorId);
  return hasPlace(db, coordinatorId, now);
}

/** When a row left the queue, those behind it moved up. Call it after the row has changed. */
export async function leaveQueue(tx: Tx, left: Pick<PurposeRecord, 'heldFor'>): Promise<void> {
  if (left.heldFor !== 'capacity') return;
  const behind = await queuedPairs(tx.db, QUEUE_TOLD);
  await appendChangeEvents(
    tx,
    behind.map(({ projectId, agentId }) => ({ kind: 'session', projectId, ref: { agentId } }) as const),
  );
}

/**
 * Ends as many idle warm sessions as rows wait for a place beyond those that come free anyway; the one that has been
 * idle longest first, never one that somebody looks at or that has anything to do. Counts them.
 *
 * `asked`: ids of those that were asked; who cannot leave must not keep the others from being asked. Emptied when all
 * were, or no room is wanted.
 */
export async function makeRoom(
  deps: Pick<ServiceDeps, 'database' | 'clock'>,
  attempt: Attempt,
  asked: string[] = [],
): Promise<number> {
  let count = 0;
  for (let times = 0; times < MOST_EVICTIONS; times += 1) {
    const { db } = deps.database;
    const now = deps.clock.now();
    const found = (await isRoomWanted(db, now)) ? await findIdleLongest(db, now, asked) : undefined;
    if (!found) {
      asked.length = 0;
      break;
    }
    asked.push(found.id);
    if (await attempt(found.id, () => evict(deps, found))) count += 1;
  }
  return count;
}

async function evict(deps: Pick<ServiceDeps, 'database' | 'clock'>, found: IdleSession): Promise<boolean> {
  return deps.database.transaction(async (tx) => {
    const sessions = new SessionQueries(tx.db);
    await sessions.lockPair(found.projectId, found.agentId);
    await lockAllPlaces(tx.db);
    const session = await sessions.lockById(found.id);
    const now = await tx.now();
    if (!session || !(await isRoomWanted(tx.db, now))) return false;
    const work = await sessions.work(found.id);
    const viewersLeft = await new ViewerQueries(tx.db).count(found, now);
    return (await applySessionCommand(tx, session, { type: 'evict', viewersLeft, work }, now)) !== null;
  });
}
