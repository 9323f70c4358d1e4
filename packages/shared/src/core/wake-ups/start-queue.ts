import { appendChangeEvents } from '../../platform/change-log/change-log.ts';
import type { Queryable, Tx } from '../../platform/db/database.ts';
import type { MembershipKey, WorkKey } from '../rules/work-key.ts';
import { lockPlacesOf } from './place-queries.ts';
import { heldForPlace, rowsWithoutPlace } from './start-queue-queries.ts';
import type { WakeUpRecord } from './wake-up-queries.ts';

/*
 * Coordinators have a limited number of places. There is one queue, the oldest wake-up first
 * (start-queue-queries.ts); a wake-up without a place waits in it, and the warm session that has been idle
 * longest makes room (evict-idle-session.ts).
 */

/** Behind this many others the position is not refreshed at once. */
const QUEUE_TOLD = 100;

/**
 * The rows of this membership that must wait: those before them in the queue leave no place. Runs under the
 * lock of the Coordinator's row: two concurrent starts never take the same last place (I-9), and the first in
 * the queue gets it, whichever call comes first.
 */
export async function worksWithoutPlace(
  db: Queryable,
  { coordinatorId, ...membership }: MembershipKey & { readonly coordinatorId?: string | undefined },
  now: Date,
): Promise<WorkKey[]> {
  if (coordinatorId === undefined) return [];
  await lockPlacesOf(db, coordinatorId);
  return rowsWithoutPlace(db, { ...membership, coordinatorId }, now);
}

/** When a row left the queue, those behind it moved up. Call it after the row has changed. */
export async function leaveQueue(tx: Tx, left: Pick<WakeUpRecord, 'heldFor'>): Promise<void> {
  if (left.heldFor !== 'capacity') return;
  const behind = await heldForPlace(tx.db, QUEUE_TOLD);
  await appendChangeEvents(
    tx,
    behind.map(({ projectId, agentId }) => ({ kind: 'session', projectId, ref: { agentId } }) as const),
  );
}
