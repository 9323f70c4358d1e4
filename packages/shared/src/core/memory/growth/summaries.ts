import { type Database, isDatabaseAway, type Tx } from '../../../platform/db/database.ts';
import { deleteStates } from '../forget-queries.ts';
import { indexState } from '../memory-store.ts';
import { summaryOf } from '../rules/growth/summary-text.ts';
import { insertRevision, insertState, type StateRow, snapshotOf, updateState } from '../state-queries.ts';
import { summaryId } from './apply-plan.ts';
import { keepKnownEvents, lockStates, type SummaryScope, saveGrown, setScope } from './apply-queries.ts';
import { eventsOf, isWordedByPerson, type Refreshing, takeScopes } from './summary-queries.ts';

/** Of one transaction. */
const SCOPES_AT_ONCE = 10;
/** A topic that was named less often has no summary: its events are one. */
const LEAST_EVENTS = { person: 3, topic: 3, thread: 3, period: 5 };

/**
 * Makes all summaries anew of which something has changed; how many. Each is found by its words at once. One that cannot
 * be made is left out until something changes again: `onFault`.
 */
export async function refreshSummaries(
  database: Database,
  refreshing: Refreshing,
  onFault: (error: unknown) => void,
): Promise<number> {
  let total = 0;
  let atOnce = SCOPES_AT_ONCE;
  for (;;) {
    try {
      const count = await refreshSome(database, refreshing, atOnce);
      total += count;
      if (count < atOnce) return total;
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      // One by one, to see which of them it is.
      if (atOnce === 1) {
        await database.transaction((tx) => takeScopes(tx.db, refreshing.agentId, 1));
        onFault(error);
      }
      atOnce = 1;
    }
  }
}

function refreshSome(database: Database, refreshing: Refreshing, limit: number): Promise<number> {
  return database.transaction(async (tx) => {
    const scopes = await takeScopes(tx.db, refreshing.agentId, limit);
    for (const scope of scopes) await refreshSummary(tx, refreshing, scope);
    return scopes.length;
  });
}

async function refreshSummary(tx: Tx, { agentId, timeZone }: Refreshing, scope: SummaryScope): Promise<void> {
  const { projectId, scopeType, scopeKey } = scope;
  const id = summaryId(agentId, scope);
  const found = await eventsOf(tx.db, { agentId, timeZone }, scope);
  // What is deleted at this moment is not summarised: whoever deletes an event afterwards finds the summary.
  const kept = await keepKnownEvents(
    tx.db,
    { agentId, projectId },
    found.map((event) => event.id),
  );
  const events = found.filter((event) => kept.has(event.id));
  const [before] = (await lockStates(tx.db, { agentId, projectId }, [id])).values();
  // Worded by a model or a person: they know more than the rules.
  if (before?.payload.made_by === 'model' || (before && (await isWordedByPerson(tx.db, id)))) return;
  const { text: bodyText, evidence } = summaryOf(events.toReversed());
  const newest = events[0];
  if (newest === undefined || events.length < LEAST_EVENTS[scopeType] || bodyText === '') {
    if (before) await deleteStates(tx.db, [id]);
    return;
  }
  if (before?.bodyText === bodyText && before.evidence.join() === evidence.join()) return;
  const at = newest.createdAt;
  const state: StateRow = {
    id,
    agentId,
    projectId,
    kind: 'summary',
    bodyText,
    payload: {
      ...before?.payload,
      scope_type: scopeType,
      scope_key: scopeKey,
      events: events.length,
      made_by: 'rules',
    },
    confidence: 0.5,
    validFrom: null,
    validTo: null,
    lastConfirmedAt: at,
    evidence,
    createdAt: before?.createdAt ?? at,
    updatedAt: at,
  };
  if (before) await updateState(tx.db, state);
  else await insertState(tx.db, state);
  await saveGrown(tx.db, id, { aboutKey: null, salience: null, evidence });
  await setScope(tx.db, id, { scopeType, scopeKey });
  await insertRevision(tx.db, {
    stateId: id,
    at,
    op: 'upsert',
    before: before ? snapshotOf(before) : null,
    after: snapshotOf(state),
    reason: `summary of ${events.length} events`,
    evidence,
    madeBy: 'rules',
  });
  await indexState(tx, state);
}
