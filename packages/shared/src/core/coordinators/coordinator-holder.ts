import type { Tx } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import { type IdHolder, mayHoldId } from './rules/coordinator-id.ts';

/** What a Coordinator says of itself and its runs. */
export interface CoordinatorBeat {
  readonly coordinatorId: string;
  readonly host: string;
  readonly bootId: string;
  /** The home it keeps its state in; absent where it names none. */
  readonly instanceId?: string | undefined;
  readonly capacity: number;
  /** Every run that lives there, starting and stopping ones too. */
  readonly running: readonly string[];
  readonly labels: readonly string[];
  readonly roots: readonly string[];
}

/** The row of an id, as it was before a beat. */
export interface HolderRow extends IdHolder {
  readonly capacity: number;
  readonly used: number;
}

/**
 * Locks the row of this id for the Coordinator that beats, and makes it when there is none (null then). Throws
 * coordinator_id_taken while another one has the id.
 */
export async function holdId(tx: Tx, beat: CoordinatorBeat): Promise<HolderRow | null> {
  const holder = (await lockRow(tx, beat.coordinatorId)) ?? (await makeRow(tx, beat));
  if (holder === null) return null;
  const now = await tx.now();
  const claimant = { host: beat.host, bootId: beat.bootId, instanceId: beat.instanceId ?? null };
  if (!mayHoldId(holder, claimant, now)) throw idTaken(beat.coordinatorId, holder);
  return holder;
}

/** For what is asked or reported beside the beats: who names a home must be the one that has the id. */
export async function requireHolder(
  tx: Tx,
  caller: { readonly coordinatorId?: string | undefined; readonly instanceId?: string | undefined },
): Promise<void> {
  if (caller.coordinatorId === undefined || caller.instanceId === undefined) return;
  const holder = await lockRow(tx, caller.coordinatorId);
  if (!holder || holder.instanceId === null || holder.instanceId === caller.instanceId) return;
  throw idTaken(caller.coordinatorId, holder);
}

/** Null when the row was made; the row when another one was faster. */
async function makeRow(tx: Tx, beat: CoordinatorBeat): Promise<HolderRow | null> {
  const now = await tx.now();
  const made = await tx.db
    .insertInto('coordinators')
    .values({
      id: beat.coordinatorId,
      host: beat.host,
      bootId: beat.bootId,
      instanceId: beat.instanceId ?? null,
      capacity: beat.capacity,
      registeredAt: now,
      lastSeenAt: now,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst();
  return made === undefined ? ((await lockRow(tx, beat.coordinatorId)) ?? null) : null;
}

function lockRow(tx: Tx, id: string): Promise<HolderRow | undefined> {
  return tx.db
    .selectFrom('coordinators')
    .select(['host', 'bootId', 'instanceId', 'lastSeenAt', 'lostAt', 'capacity', 'used'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

function idTaken(id: string, holder: HolderRow): AppError {
  return new AppError(
    'coordinator_id_taken',
    `The COORDINATOR_ID ${id} is in use by another Coordinator, on the host ${holder.host}: give this one a ` +
      'COORDINATOR_ID of its own, or stop the other one, whose id is free after 45 s of silence.',
    { details: { host: holder.host, last_seen_at: holder.lastSeenAt.toISOString() } },
  );
}
