import { z } from 'zod';
import { keys } from '../../platform/change-log/keys.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import {
  deleteEvents,
  deleteStates,
  dropPlansThatSaw,
  forgetInRuns,
  lockEvents,
  lockMergedInto,
  lockStatesOf,
  markDeletedSummaries,
  revisionsOf,
  rewriteRevisions,
  setEvidence,
} from './forget-queries.ts';
import { refreshMood } from './growth/mood-state.ts';
import { indexState } from './memory-store.ts';
import { MOST_EVIDENCE, mergedEvidence } from './rules/evidence.ts';
import { forgetEvidence } from './rules/forget-evidence.ts';
import { type StateRow, updateState } from './state-queries.ts';

const snapshotSchema = z.object({
  bodyText: z.string(),
  payload: z.record(z.string(), z.unknown()),
  confidence: z.number(),
  validFrom: z.coerce.date().nullable(),
  validTo: z.coerce.date().nullable(),
  lastConfirmedAt: z.coerce.date(),
});

/**
 * Deletes these events and everything that was made from them alone, in the caller's transaction: documents, links,
 * runs, states and revisions. What also has other evidence stays, as it would be without them. `messageIds`: what they
 * were made of, before that.
 */
export async function forgetEvents(
  tx: Tx,
  agentId: string,
  ids: readonly string[],
  messageIds: readonly string[] = [],
): Promise<void> {
  if (ids.length === 0) return;
  const gone = new Set(ids);
  // Before all else: a run that is about to quote one of them is kept first, or finds it gone.
  await lockEvents(tx.db, agentId, ids);
  const states = await lockStatesOf(tx.db, agentId, ids);
  const stateIds: string[] = [];
  const changed: string[] = [];
  for (const state of states) {
    const evidence = state.evidence.filter((id) => !gone.has(id));
    // What is made of many events is made anew without these.
    if ((evidence.length === 0 && !isFull(state)) || isMadeAnew(state)) {
      stateIds.push(state.id);
      continue;
    }
    const left = await forgetInState(tx, state, gone);
    if (left === 'nothing') stateIds.push(state.id);
    else if (left === 'other') changed.push(state.id);
  }
  await markDeletedSummaries(tx.db, stateIds);
  await deleteStates(tx.db, stateIds);
  await forgetInRuns(tx.db, agentId, [...ids, ...messageIds, ...stateIds, ...changed]);
  await dropPlansThatSaw(tx.db, agentId, { eventIds: ids, stateIds: [...stateIds, ...changed] });
  await deleteEvents(tx.db, agentId, ids);
  const moods = states.filter(({ kind }) => kind === 'long_mood_state');
  for (const { projectId } of moods) await refreshMood(tx, { agentId, projectId, madeBy: 'rules' });
  if (stateIds.length > 0) tx.dirty(keys.memory(agentId));
}

function isMadeAnew({ kind }: StateRow): boolean {
  return kind === 'summary' || kind === 'long_mood_state';
}

/** It may have more evidence than it names. */
function isFull({ evidence }: StateRow): boolean {
  return evidence.length >= MOST_EVIDENCE;
}

/** Of one transaction: the runs of a month may quote the same event. */
const RUNS_AT_ONCE = 500;

/**
 * Takes the words of these items and messages out of the runs that hold them, in small transactions: what is left for the
 * deletion itself is what runs have used since.
 */
export async function forgetInPastRuns(
  database: Database,
  agentId: string,
  ids: readonly string[],
): Promise<void> {
  let changed: number;
  do {
    changed = await database.transaction((tx) => forgetInRuns(tx.db, agentId, ids, RUNS_AT_ONCE));
  } while (changed === RUNS_AT_ONCE);
}

/** Deletes these states with their documents and revisions, and what runs quote of them. */
export async function forgetStates(tx: Tx, agentId: string, stateIds: readonly string[]): Promise<void> {
  await deleteStates(tx.db, stateIds);
  await forgetInRuns(tx.db, agentId, stateIds);
  await dropPlansThatSaw(tx.db, agentId, { eventIds: [], stateIds });
}

/** What it says now. nothing: what it said came from these events alone, and what was merged into it holds again. */
async function forgetInState(
  tx: Tx,
  state: StateRow,
  gone: ReadonlySet<string>,
): Promise<'same' | 'other' | 'nothing'> {
  const { kept, removed, snapshot } = forgetEvidence(await revisionsOf(tx.db, state.id), gone);
  // Those that had no place among them have one now.
  const unnamed = isFull(state) ? kept.flatMap((revision) => revision.evidence) : [];
  const evidence = mergedEvidence(
    unnamed,
    state.evidence.filter((id) => !gone.has(id)),
  );
  if (removed.length > 0 && snapshot === null) {
    await reopenMergedInto(tx, { ...state, evidence });
    return 'nothing';
  }
  await setEvidence(tx.db, state.id, evidence);
  await rewriteRevisions(tx.db, kept, removed);
  if (removed.length === 0 || snapshot === null) return 'same';
  const { id, agentId, projectId, updatedAt } = state;
  const says = snapshotSchema.parse(snapshot);
  await updateState(tx.db, { id, updatedAt, ...says });
  await indexState(tx, { id, agentId, projectId, bodyText: says.bodyText, updatedAt });
  return 'other';
}

async function reopenMergedInto(tx: Tx, state: StateRow): Promise<void> {
  for (const { id, updatedAt, revisionId, before } of await lockMergedInto(tx.db, state)) {
    await updateState(tx.db, { id, updatedAt, ...snapshotSchema.parse(before) });
    await rewriteRevisions(tx.db, [], [revisionId]);
  }
}
