import { sql } from 'kysely';
import { z } from 'zod';
import {
  type ChangedFile,
  type ChangesConflict,
  changedFileSchema,
  changesConflictSchema,
  type LeftOut,
  leftOutSchema,
} from '../../contract/changes.ts';
import { type Reason, reasonSchema } from '../../contract/reason.ts';
import type { Queryable } from '../../platform/db/database.ts';
import {
  WORKTREE_ORDERS,
  WORKTREE_STATES,
  type WorktreeOrder,
  type WorktreeState,
} from './rules/worktree-machine.ts';

/** A worktree without its files. */
export interface WorktreeRecord {
  /** The run that works in it, or was the last to. */
  readonly runId: string;
  /** The run that it was made for: its folder and its branch have that name. */
  readonly madeFor: string;
  readonly coordinatorId: string;
  readonly state: WorktreeState;
  readonly order: WorktreeOrder | null;
  readonly orderNumber: number;
  readonly baseCommit: string;
  readonly branch: string;
  readonly intoBranch: string | null;
  readonly seenAt: Date | null;
  readonly fileCount: number;
  readonly additions: number;
  readonly deletions: number;
  readonly leftOut: readonly LeftOut[];
  readonly conflict: ChangesConflict | null;
  readonly fault: string | null;
  readonly reason: Reason | null;
  readonly decidedBy: string | null;
  readonly decidedByName: string | null;
  readonly decidedAt: Date | null;
}

/** What a Coordinator saw in a worktree. */
export interface SeenChanges {
  readonly fileCount: number;
  readonly additions: number;
  readonly deletions: number;
  readonly files: readonly ChangedFile[];
  readonly leftOut: readonly LeftOut[];
}

const stateSchema = z.enum(WORKTREE_STATES);
const orderSchema = z.enum(WORKTREE_ORDERS);
const leftOutListSchema = z.array(leftOutSchema);

export async function findWorktree(db: Queryable, runId: string): Promise<WorktreeRecord | null> {
  return toWorktree(await selectWorktree(db).where('w.runId', '=', runId).executeTakeFirst());
}

/** The same, locked. */
export async function lockWorktree(db: Queryable, runId: string): Promise<WorktreeRecord | null> {
  return toWorktree(await selectWorktree(db).where('w.runId', '=', runId).forUpdate('w').executeTakeFirst());
}

/** The worktree that was made for this run, whichever run has it now. Locked. */
export async function lockMadeFor(db: Queryable, madeFor: string): Promise<WorktreeRecord | null> {
  return toWorktree(
    await selectWorktree(db).where('w.madeFor', '=', madeFor).forUpdate('w').executeTakeFirst(),
  );
}

/** False: it was reported before. */
export async function insertWorktree(
  db: Queryable,
  worktree: {
    runId: string;
    madeFor: string;
    coordinatorId: string;
    baseCommit: string;
    branch: string;
    intoBranch: string | null;
    createdAt: Date;
  },
): Promise<boolean> {
  const made = await db
    .insertInto('worktrees')
    .values(worktree)
    .onConflict((conflict) => conflict.column('madeFor').doNothing())
    .returning('runId')
    .executeTakeFirst();
  return made !== undefined;
}

/** It was made again, perhaps from another commit. */
export async function setBase(
  db: Queryable,
  worktree: { runId: string; baseCommit: string; intoBranch: string | null },
): Promise<void> {
  const { baseCommit, intoBranch } = worktree;
  await db
    .updateTable('worktrees')
    .set({ baseCommit, intoBranch })
    .where('runId', '=', worktree.runId)
    .execute();
}

export async function setSeen(db: Queryable, runId: string, seen: SeenChanges, seenAt: Date): Promise<void> {
  await db
    .updateTable('worktrees')
    .set({
      fileCount: seen.fileCount,
      additions: seen.additions,
      deletions: seen.deletions,
      files: JSON.stringify(seen.files),
      leftOut: JSON.stringify(seen.leftOut),
      seenAt,
    })
    .where('runId', '=', runId)
    .execute();
}

export async function setReported(
  db: Queryable,
  worktree: { runId: string; state: WorktreeState; order: WorktreeOrder | null },
  about: { conflict: ChangesConflict | null; fault: string | null; reason: Reason | null },
): Promise<void> {
  await db
    .updateTable('worktrees')
    .set({
      state: worktree.state,
      orderKind: worktree.order,
      conflict: about.conflict === null ? null : JSON.stringify(about.conflict),
      fault: about.fault,
      reason: about.reason === null ? null : JSON.stringify(about.reason),
    })
    .where('runId', '=', worktree.runId)
    .execute();
}

/** Asks its Coordinator; every order has a number of its own. `decidedBy`: of a decision. */
export async function setOrdered(
  db: Queryable,
  order: { runId: string; kind: WorktreeOrder; decidedBy: string | null; now: Date },
): Promise<void> {
  await db
    .updateTable('worktrees')
    .set((eb) => ({
      orderKind: order.kind,
      orderNumber: eb('orderNumber', '+', 1),
      orderedAt: order.now,
      ...(order.decidedBy !== null && { decidedBy: order.decidedBy, decidedAt: order.now }),
    }))
    .where('runId', '=', order.runId)
    .execute();
}

export async function readFiles(db: Queryable, runId: string): Promise<ChangedFile[]> {
  const row = await db.selectFrom('worktrees').select('files').where('runId', '=', runId).executeTakeFirst();
  return z.array(changedFileSchema).parse(row?.files ?? []);
}

/** What this Coordinator is asked to do, the oldest order first. */
export async function ordersOf(
  db: Queryable,
  coordinatorId: string,
): Promise<{ runId: string; madeFor: string; order: WorktreeOrder; number: number }[]> {
  const { rows } = await sql<{ runId: string; madeFor: string; order: string; number: number }>`
    select run_id, made_for, order_kind as order, order_number as number from worktrees
    where coordinator_id = ${coordinatorId} and order_kind is not null
    order by ordered_at, run_id limit 100`.execute(db);
  return rows.map((row) => ({ ...row, order: orderSchema.parse(row.order) }));
}

/** What the report of a run's worktree is checked against. */
export function findRunOfWorktree(
  db: Queryable,
  runId: string,
): Promise<{ projectId: string; agentId: string; coordinatorId: string | null; state: string } | undefined> {
  return db
    .selectFrom('agentRuns')
    .select(['projectId', 'agentId', 'coordinatorId', 'state'])
    .where('id', '=', runId)
    .executeTakeFirst();
}

export async function isCoordinatorSeen(db: Queryable, id: string, since: Date): Promise<boolean> {
  const row = await db
    .selectFrom('coordinators')
    .select('id')
    .where('id', '=', id)
    .where('lastSeenAt', '>=', since)
    .executeTakeFirst();
  return row !== undefined;
}

function selectWorktree(db: Queryable) {
  return db
    .selectFrom('worktrees as w')
    .select([
      'w.runId',
      'w.madeFor',
      'w.coordinatorId',
      'w.state',
      'w.orderKind',
      'w.orderNumber',
      'w.baseCommit',
      'w.branch',
      'w.intoBranch',
      'w.seenAt',
      'w.fileCount',
      'w.additions',
      'w.deletions',
      'w.leftOut',
      'w.conflict',
      'w.fault',
      'w.reason',
      'w.decidedBy',
      'w.decidedAt',
    ])
    .select((eb) =>
      eb.selectFrom('agents as a').select('a.name').whereRef('a.id', '=', 'w.decidedBy').as('decidedByName'),
    );
}

type WorktreeRow = Omit<WorktreeRecord, 'state' | 'order' | 'leftOut' | 'conflict' | 'reason'> & {
  readonly state: string;
  readonly orderKind: string | null;
  readonly leftOut: unknown;
  readonly conflict: unknown;
  readonly reason: unknown;
};

function toWorktree(row: WorktreeRow | undefined): WorktreeRecord | null {
  if (row === undefined) return null;
  const { orderKind, ...worktree } = row;
  return {
    ...worktree,
    state: stateSchema.parse(row.state),
    order: orderKind === null ? null : orderSchema.parse(orderKind),
    leftOut: leftOutListSchema.parse(row.leftOut),
    conflict: row.conflict === null ? null : changesConflictSchema.parse(row.conflict),
    reason: reasonSchema.nullable().catch(null).parse(row.reason),
  };
}
