import type { Queryable, Tx } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import {
  type CoordinatorClaim,
  findHolder,
  type HolderRow,
  insertCoordinator,
  lockCoordinator,
} from './coordinator-queries.ts';
import { mayHoldId } from './rules/coordinator-id.ts';

/**
 * Locks the row of this id for the Coordinator that sent a beat, and inserts it when there is none (then
 * null). Throws coordinator_id_taken while another Coordinator has the id.
 */
export async function holdId(
  tx: Tx,
  beat: CoordinatorClaim & { capacity: number },
): Promise<HolderRow | null> {
  const holder = (await lockCoordinator(tx.db, beat.coordinatorId)) ?? (await makeRow(tx, beat));
  if (holder === null) return null;
  const now = await tx.now();
  const claimant = { host: beat.host, bootId: beat.bootId, instanceId: beat.instanceId ?? null };
  if (!mayHoldId(holder, claimant, now)) throw idTaken(beat.coordinatorId, holder);
  return holder;
}

/**
 * For calls other than beats: a caller that names a home must be the Coordinator that has the id. Does not lock: a
 * report or a start would wait for the commit of a beat, and the sign-in of its run for both. If the id passes to
 * another Coordinator in this moment, the beats of that one do not list the run, which is then lost.
 */
export async function requireHolder(
  db: Queryable,
  caller: { readonly coordinatorId?: string | undefined; readonly instanceId?: string | undefined },
): Promise<void> {
  if (caller.coordinatorId === undefined || caller.instanceId === undefined) return;
  const holder = await findHolder(db, caller.coordinatorId);
  if (!holder || holder.instanceId === null || holder.instanceId === caller.instanceId) return;
  throw idTaken(caller.coordinatorId, holder);
}

/** Null when this call inserted the row; the row when another call was faster. */
async function makeRow(tx: Tx, beat: CoordinatorClaim & { capacity: number }): Promise<HolderRow | null> {
  const isMade = await insertCoordinator(tx.db, beat, await tx.now());
  return isMade ? null : ((await lockCoordinator(tx.db, beat.coordinatorId)) ?? null);
}

function idTaken(id: string, holder: Pick<HolderRow, 'host' | 'lastSeenAt'>): AppError {
  return new AppError(
    'coordinator_id_taken',
    `The COORDINATOR_ID ${id} is in use by another Coordinator, on the host ${holder.host}: give this one a ` +
      'COORDINATOR_ID of its own, or stop the other one, whose id is free after 45 s of silence.',
    { details: { host: holder.host, last_seen_at: holder.lastSeenAt.toISOString() } },
  );
}
