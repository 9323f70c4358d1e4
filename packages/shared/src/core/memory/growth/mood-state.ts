import type { GrownBy } from '../../../contract/memory.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { deleteStates } from '../forget-queries.ts';
import { type Mood, moodOf } from '../rules/growth/mood.ts';
import { insertRevision, insertState, type StateRow, snapshotOf, updateState } from '../state-queries.ts';
import { lockStates, saveGrown } from './apply-queries.ts';
import { grownId } from './grown-id.ts';
import { feltLately } from './mood-queries.ts';

interface MoodOf {
  readonly agentId: string;
  readonly projectId: string | null;
  readonly madeBy: GrownBy;
  /** How a model words it. */
  readonly wording?: string;
}

const MOST_EVIDENCE = 40;
const LONGEST = 600;

/**
 * Computes the mood from what was felt last, and writes it: the same whatever the order in which it was learnt, and
 * without what is forgotten. Of a project its own and what is general.
 */
export async function refreshMood(tx: Tx, { agentId, projectId, madeBy, wording }: MoodOf): Promise<void> {
  const id = moodId(agentId, projectId);
  const [before] = (await lockStates(tx.db, { agentId, projectId }, [id])).values();
  const felt = await feltLately(tx.db, { agentId, projectId });
  const mood = moodOf(felt.map(({ v, a, d, ...one }) => ({ ...one, vad: { v, a, d } })));
  if (!mood) {
    if (before) await deleteStates(tx.db, [id]);
    return;
  }
  const evidence = felt.slice(-MOST_EVIDENCE).map(({ eventId }) => eventId);
  const words = [...new Set(felt.slice(-3).flatMap(({ labels }) => labels))].join(', ');
  const bodyText = (wording ?? words).slice(0, LONGEST).toWellFormed();
  const state: StateRow = {
    id,
    agentId,
    projectId,
    kind: 'long_mood_state',
    bodyText: bodyText === '' ? '–' : bodyText,
    payload: payloadOf(mood),
    confidence: 1,
    validFrom: null,
    validTo: null,
    lastConfirmedAt: mood.at,
    evidence,
    createdAt: before?.createdAt ?? mood.at,
    updatedAt: mood.at,
  };
  if (before) await updateState(tx.db, state);
  else await insertState(tx.db, state);
  await saveGrown(tx.db, id, { aboutKey: null, salience: null, evidence });
  await insertRevision(tx.db, {
    stateId: id,
    at: mood.at,
    op: 'upsert',
    before: before ? snapshotOf(before) : null,
    after: snapshotOf(state),
    reason: 'computed from what was felt',
    evidence: evidence.slice(-1),
    madeBy,
  });
}

export function moodId(agentId: string, projectId: string | null): string {
  return grownId('sta', agentId, projectId ?? '', 'long_mood_state');
}

function payloadOf({ baseline, shock, shockHalfLifeSeconds, shockSeverity }: Mood): Record<string, unknown> {
  return {
    model_version: 3,
    baseline_vad: baseline,
    shock_vad: shock,
    shock_halflife_seconds: shockHalfLifeSeconds,
    shock_severity: shockSeverity,
  };
}
