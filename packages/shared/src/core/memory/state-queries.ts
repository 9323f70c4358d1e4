import { sql } from 'kysely';
import type { MADE_BY, StateKind } from '../../contract/memory.ts';
import type { Queryable } from '../../platform/db/database.ts';

export interface StateRow {
  readonly id: string;
  readonly agentId: string;
  readonly projectId: string | null;
  readonly kind: StateKind;
  readonly bodyText: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly confidence: number;
  readonly validFrom: Date | null;
  readonly validTo: Date | null;
  readonly lastConfirmedAt: Date;
  readonly evidence: readonly string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The part of a state that a revision keeps. */
export type StateSnapshot = Pick<
  StateRow,
  'bodyText' | 'payload' | 'confidence' | 'validFrom' | 'validTo' | 'lastConfirmedAt'
>;

export interface NewRevision {
  readonly stateId: string;
  readonly at: Date;
  readonly op: string;
  /** null: the state did not exist. */
  readonly before: StateSnapshot | null;
  readonly after: StateSnapshot;
  readonly reason: string;
  readonly evidence: readonly string[];
  readonly madeBy: (typeof MADE_BY)[number];
}

export async function insertState(db: Queryable, { payload, evidence, ...state }: StateRow): Promise<void> {
  await db
    .insertInto('memoryStates')
    .values({ ...state, payload: json(payload), evidence: [...evidence] })
    .execute();
}

export async function insertRevision(
  db: Queryable,
  { before, after, evidence, ...revision }: NewRevision,
): Promise<void> {
  await db
    .insertInto('memoryRevisions')
    .values({
      ...revision,
      before: before && json(before),
      after: json(after),
      evidence: [...evidence],
    })
    .execute();
}

/** What a state says is written anew; what it was made from stays. */
export async function updateState(
  db: Queryable,
  { id, payload, updatedAt, ...state }: StateSnapshot & Pick<StateRow, 'id' | 'updatedAt'>,
): Promise<void> {
  const { bodyText, confidence, validFrom, validTo, lastConfirmedAt } = state;
  await db
    .updateTable('memoryStates')
    .set({ bodyText, confidence, validFrom, validTo, lastConfirmedAt, payload: json(payload), updatedAt })
    .where('id', '=', id)
    .execute();
}

/** What a revision keeps of it. */
export function snapshotOf(state: StateSnapshot): StateSnapshot {
  const { bodyText, payload, confidence, validFrom, validTo, lastConfirmedAt } = state;
  return { bodyText, payload, confidence, validFrom, validTo, lastConfirmedAt };
}

function json(value: object) {
  return sql<never>`${JSON.stringify(value)}::jsonb`;
}
