import type { GrownBy } from '../../../contract/memory.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { dayOf } from '../../usage/rules/local-day.ts';
import { indexState } from '../memory-store.ts';
import { mergedEvidence } from '../rules/evidence.ts';
import { type GrowingEvent, subjectOf } from '../rules/growth/rule-growth.ts';
import type { StateUpdate, WritePlan } from '../rules/growth/write-plan.ts';
import { insertRevision, insertState, type StateRow, snapshotOf, updateState } from '../state-queries.ts';
import {
  type GrownFrom,
  keepEvent,
  keepKnownEvents,
  lockStates,
  markScopes,
  type SummaryScope,
  saveAffect,
  saveAnnotation,
  saveEntities,
  saveGrown,
  saveLinks,
  saveThreads,
  setScope,
} from './apply-queries.ts';
import { Notes } from './clean-write-plan.ts';
import { grownId } from './grown-id.ts';
import { refreshMood } from './mood-state.ts';
import { type Seen, saysOther } from './seen.ts';
import { isWordedByPerson } from './summary-queries.ts';

export interface Applying {
  readonly event: GrowingEvent;
  readonly agentId: string;
  readonly projectId: string | null;
  readonly madeBy: GrownBy;
  /** The states of which the plan was made, as they were then. */
  readonly seen: Seen;
  readonly timeZone: string;
}

/** Between the plan and the lock of its states a person has corrected one of them: the plan would overwrite it. */
export class SaysOther extends Error {
  override readonly name = 'SaysOther';
}

/** Of a state, as JSON: twice what one update may bring. */
const LONGEST_PAYLOAD = 8_000;
const SCOPE_TYPES = ['person', 'topic', 'period', 'thread'] as const;

/**
 * Writes what grows out of one event, in the caller's transaction. What of the plan does not fit this memory is left out
 * and noted. undefined: the event was deleted meanwhile. @throws SaysOther
 */
export async function applyPlan(
  tx: Tx,
  applying: Applying,
  plan: WritePlan,
): Promise<{ dropped: string[]; counts: Record<string, number> } | undefined> {
  const { event, agentId, projectId, madeBy } = applying;
  if (!(await keepEvent(tx.db, event.id))) return undefined;
  const from: GrownFrom = { eventId: event.id, agentId, projectId, createdAt: event.createdAt, madeBy };
  const notes = new Notes();
  const named = [
    ...plan.links.map(({ toEventId }) => toEventId),
    ...plan.states.flatMap(({ evidence }) => evidence),
  ];
  const known = await keepKnownEvents(tx.db, from, [...new Set(named)]);
  const states = await applyStates(tx, applying, { updates: plan.states, known, notes });
  if (plan.annotation) await saveAnnotation(tx.db, from, plan.annotation);
  await saveEntities(tx.db, from, plan.entities);
  await saveThreads(tx.db, from, plan.threads);
  const links = plan.links.filter(({ toEventId }, index) => {
    const isKnown = known.has(toEventId) && toEventId !== event.id;
    if (!isKnown) notes.add(`links[${index}]`, 'is to no event of this memory');
    return isKnown;
  });
  await saveLinks(tx.db, from, links);
  if (plan.affect) {
    await saveAffect(tx.db, from, { id: grownId('aff', event.id), ...plan.affect });
    const wording = plan.states.find(
      ({ kind, op }) => kind === 'long_mood_state' && op === 'upsert',
    )?.bodyText;
    await refreshMood(tx, { agentId, projectId, madeBy, ...(wording && { wording }) });
  }
  await markScopes(tx.db, agentId, scopesOf(applying, plan));
  return {
    dropped: notes.list,
    counts: {
      states,
      entities: plan.entities.length,
      threads: plan.threads.length,
      links: links.length,
      affects: plan.affect ? 1 : 0,
    },
  };
}

async function applyStates(
  tx: Tx,
  applying: Applying,
  { updates, known, notes }: { updates: readonly StateUpdate[]; known: ReadonlySet<string>; notes: Notes },
): Promise<number> {
  const ids = updates.map((update) => update.stateId ?? newStateId(applying, update));
  const rows = await lockStates(tx.db, applying, [...new Set(ids)]);
  if (saysOther(applying.seen, rows)) throw new SaysOther();
  let count = 0;
  for (const update of updates) {
    if (update.kind === 'long_mood_state') continue;
    const name = `state_updates[${update.element}]`;
    const unknown = update.evidence.filter((id) => !known.has(id));
    if (unknown.length > 0)
      notes.add(`${name}.evidence_event_ids`, 'names events that this memory does not have');
    const evidence = [...new Set([...update.evidence.filter((id) => known.has(id)), applying.event.id])];
    const row = rows.get(update.stateId ?? newStateId(applying, update) ?? '');
    if (update.stateId !== null && !row) notes.add(name, 'names no state of this memory');
    if (row && row.kind !== update.kind) {
      notes.add(name, `names a state of kind ${row.kind}`);
      continue;
    }
    if (row?.kind === 'summary' && (await isWordedByPerson(tx.db, row.id))) {
      notes.add(name, 'is a summary that a person has worded');
      continue;
    }
    const written = row
      ? await changeState(tx, applying, { row, update: bounded(row, update, notes), evidence })
      : update.op === 'upsert' && (await addState(tx, applying, { update, evidence, notes }));
    if (!written) continue;
    rows.set(written.id, written);
    count += 1;
  }
  return count;
}

/** A summary has one of each scope, everything else one of each element of a plan. */
function newStateId({ agentId, projectId, event }: Applying, update: StateUpdate): string {
  const scope = update.kind === 'summary' ? scopeOf(update) : null;
  return scope
    ? summaryId(agentId, { projectId, ...scope })
    : grownId('sta', event.id, update.kind, update.element);
}

export function summaryId(agentId: string, { projectId, scopeType, scopeKey }: SummaryScope): string {
  return grownId('sta', agentId, projectId ?? '', scopeType, scopeKey);
}

function scopeOf({
  payload,
}: StateUpdate): { scopeType: SummaryScope['scopeType']; scopeKey: string } | null {
  const { scope_type: type, scope_key: scopeKey } = payload;
  const scopeType = SCOPE_TYPES.find((one) => one === type);
  if (!scopeType || typeof scopeKey !== 'string' || scopeKey === '' || scopeKey.length > 120) return null;
  return { scopeType, scopeKey };
}

async function addState(
  tx: Tx,
  applying: Applying,
  { update, evidence, notes }: { update: StateUpdate; evidence: readonly string[]; notes: Notes },
): Promise<StateRow | false> {
  const { agentId, projectId, event, madeBy } = applying;
  const scope = update.kind === 'summary' ? scopeOf(update) : null;
  if (update.kind === 'summary' && !scope) {
    notes.add(`state_updates[${update.element}]`, 'is a summary of no scope');
    return false;
  }
  const { kind, bodyText, payload, confidence, validFrom, validTo } = update;
  const at = event.createdAt;
  const state: StateRow = {
    id: newStateId(applying, update),
    agentId,
    projectId,
    kind,
    bodyText,
    payload: { ...payload, made_by: madeBy },
    confidence,
    validFrom: validFrom ?? (kind === 'summary' ? null : at),
    validTo,
    lastConfirmedAt: update.lastConfirmedAt ?? at,
    evidence,
    createdAt: at,
    updatedAt: at,
  };
  await insertState(tx.db, state);
  await saveGrown(tx.db, state.id, { ...update, evidence });
  if (scope) await setScope(tx.db, state.id, scope);
  await addRevision(tx, applying, { update, before: null, after: state });
  await indexState(tx, state);
  return state;
}

async function changeState(
  tx: Tx,
  applying: Applying,
  { row, update, evidence }: { row: StateRow; update: StateUpdate; evidence: readonly string[] },
): Promise<StateRow> {
  const after = changed(row, update, applying);
  await updateState(tx.db, after);
  const all = mergedEvidence(row.evidence, evidence);
  await saveGrown(tx.db, row.id, { ...update, evidence: all });
  await addRevision(tx, applying, { update, before: row, after });
  if (after.bodyText !== row.bodyText) await indexState(tx, after);
  return { ...after, evidence: all };
}

/** An update adds to what a state holds already, and one state may be updated without end. */
function bounded(row: StateRow, update: StateUpdate, notes: Notes): StateUpdate {
  const length = JSON.stringify({ ...row.payload, ...update.payload }).length;
  if (length <= LONGEST_PAYLOAD || Object.keys(update.payload).length === 0) return update;
  notes.add(`state_updates[${update.element}].payload`, 'does not fit beside what the state holds');
  return { ...update, payload: {} };
}

function changed(row: StateRow, update: StateUpdate, { event, madeBy }: Applying): StateRow {
  const at = event.createdAt;
  const updatedAt = later(row.updatedAt, at);
  if (update.op === 'close') return { ...row, validTo: update.validTo ?? at, updatedAt };
  if (update.op === 'mark_done')
    return { ...row, payload: { ...row.payload, status: 'done' }, validTo: at, updatedAt };
  const confirmedAt = update.lastConfirmedAt ?? at;
  return {
    ...row,
    bodyText: update.bodyText || row.bodyText,
    payload: { ...row.payload, ...update.payload, made_by: row.payload.made_by ?? madeBy },
    confidence: Math.max(row.confidence, update.confidence),
    validFrom: update.validFrom ?? row.validFrom,
    validTo: update.validTo ?? row.validTo,
    lastConfirmedAt: later(row.lastConfirmedAt, confirmedAt),
    updatedAt,
  };
}

function later(one: Date, other: Date): Date {
  return new Date(Math.max(one.getTime(), other.getTime()));
}

async function addRevision(
  tx: Tx,
  { event, madeBy }: Applying,
  { update, before, after }: { update: StateUpdate; before: StateRow | null; after: StateRow },
): Promise<void> {
  await insertRevision(tx.db, {
    stateId: after.id,
    at: event.createdAt,
    op: update.op,
    before: before && snapshotOf(before),
    after: snapshotOf(after),
    reason: update.reason,
    evidence: [event.id],
    madeBy,
  });
}

/** Whom and what it is about, and the quarter of the year in which it was said. */
function scopesOf({ event, projectId, timeZone }: Applying, plan: WritePlan): SummaryScope[] {
  const topics = plan.entities.slice(0, 8).map(({ name }) => name);
  const threads = plan.threads.slice(0, 4).map(({ key }) => key);
  const of = (scopeType: SummaryScope['scopeType'], scopeKey: string) => ({ projectId, scopeType, scopeKey });
  return [
    of('person', subjectOf(event)),
    ...topics.map((name) => of('topic', name)),
    ...threads.filter((key) => !topics.includes(key)).map((key) => of('thread', key)),
    of('period', quarterOf(event.createdAt, timeZone)),
  ];
}

export function quarterOf(at: Date, timeZone: string): string {
  const [year, month] = dayOf(at, timeZone).split('-');
  return `${year}Q${Math.ceil(Number(month) / 3)}`;
}
