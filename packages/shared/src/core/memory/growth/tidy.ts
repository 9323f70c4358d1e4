import type { GrownBy } from '../../../contract/memory.ts';
import type { Database, Tx } from '../../../platform/db/database.ts';
import { dayOf } from '../../usage/rules/local-day.ts';
import { mergedEvidence } from '../rules/evidence.ts';
import { MERGED, sameBefore, type TidyState } from '../rules/growth/duplicates.ts';
import { selectStates, toState } from '../state-list-queries.ts';
import { insertRevision, type StateRow, snapshotOf, updateState } from '../state-queries.ts';
import { saveGrown } from './apply-queries.ts';
import { openStates, pruneRevisions } from './tidy-queries.ts';

/** Two states of which a model says whether they are the same. */
export interface Pair {
  readonly kept: TidyState;
  readonly closed: TidyState;
}

/** Which of these pairs are the same; by a model. */
export type Merger = (pairs: readonly Pair[], signal: AbortSignal) => Promise<readonly Pair[]>;

export interface Tidying {
  readonly agentId: string;
  readonly timeZone: string;
  /** The time of the newest event: what is past is past then. */
  readonly now: Date;
  readonly merger?: Merger | undefined;
  readonly signal: AbortSignal;
}

const MOST_CLOSED = 200;

/** Closes what says the same twice, and tasks whose day is past. Never touches events. Returns counts. */
export async function tidyMemory(database: Database, tidying: Tidying): Promise<Record<string, number>> {
  const { agentId, merger, signal, now, timeZone } = tidying;
  const open = await openStates(database.db, agentId);
  const { same, similar } = sameBefore(open);
  const past = open.filter(({ kind, payload }) => {
    const { due } = payload;
    return (
      kind === 'task' &&
      typeof due === 'string' &&
      /^\d{4}-\d{2}-\d{2}$/.test(due) &&
      due < dayOf(now, timeZone)
    );
  });
  // A model is asked outside of every transaction.
  const merged = merger && similar.length > 0 ? await merger(similar.slice(0, 20), signal) : [];
  const closes: Close[] = [
    ...same.map((pair) => ({
      ...pair,
      reason: MERGED.same,
      madeBy: 'rules' as const,
    })),
    ...merged.map((pair) => ({
      ...pair,
      reason: MERGED.similar,
      madeBy: 'model' as const,
    })),
    ...past.map((closed) => ({ closed, reason: 'tidied: its day is past', madeBy: 'rules' as const })),
  ];
  const unique = [...new Map(closes.toReversed().map((close) => [close.closed.id, close])).values()]
    .toReversed()
    .slice(0, MOST_CLOSED);
  const closed = await database.transaction(async (tx) => {
    let count = 0;
    for (const close of unique) if (await closeState(tx, agentId, close, now)) count += 1;
    return count;
  });
  const revisions = await pruneRevisions(database.db, agentId);
  return { closed, merged: merged.length, past: past.length, revisions };
}

interface Close {
  readonly closed: TidyState;
  /** Gets the evidence of the closed one. */
  readonly kept?: TidyState;
  readonly reason: string;
  readonly madeBy: GrownBy;
}

async function closeState(
  tx: Tx,
  agentId: string,
  { closed, kept, reason, madeBy }: Close,
  now: Date,
): Promise<boolean> {
  const rows = await selectStates(tx.db)
    .where('agentId', '=', agentId)
    .where('id', 'in', [closed.id, ...(kept ? [kept.id] : [])])
    .where('validTo', 'is', null)
    .orderBy('id')
    .forUpdate()
    .execute();
  const states = new Map(rows.map((row) => [row.id, toState(row)]));
  const before = states.get(closed.id);
  const survivor = kept && states.get(kept.id);
  if (!before || (kept && !survivor)) return false;
  // A person has said something else meanwhile.
  if (before.bodyText !== closed.bodyText || (kept && survivor?.bodyText !== kept.bodyText)) return false;
  const after: StateRow = { ...before, validTo: now };
  await updateState(tx.db, after);
  await insertRevision(tx.db, {
    stateId: before.id,
    at: now,
    op: 'close',
    before: snapshotOf(before),
    after: snapshotOf(after),
    reason,
    evidence: [],
    madeBy,
  });
  if (survivor) {
    const evidence = mergedEvidence(survivor.evidence, before.evidence);
    await saveGrown(tx.db, survivor.id, { aboutKey: null, salience: null, evidence });
  }
  return true;
}
