import { sql } from 'kysely';
import type { Database, Queryable, Tx } from '../../../platform/db/database.ts';
import { indexState } from '../memory-store.ts';
import { startOfDay } from '../rules/growth/about-time.ts';
import { subjectOf } from '../rules/growth/rule-growth.ts';
import { type SummarisedEvent, summaryOf } from '../rules/growth/summary-text.ts';
import { insertRevision, insertState, type StateRow, snapshotOf, updateState } from '../state-queries.ts';
import { summaryId } from './apply-plan.ts';
import { keepKnownEvents, lockStates, type SummaryScope, saveGrown, setScope } from './apply-queries.ts';

interface Refreshing {
  readonly agentId: string;
  readonly timeZone: string;
}

/** Of one transaction. */
const SCOPES_AT_ONCE = 10;
/** A topic that was named less often has no summary: its events are one. */
const LEAST_EVENTS = { person: 3, topic: 3, thread: 3, period: 5 };
const MOST_EVENTS = 40;
/** Of one person the newest among so many of all. */
const MOST_LOOKED_THROUGH = 200;
const LOOKED_AT = 600;

/** Makes all summaries anew of which something has changed; how many. Each is found by its words at once. */
export async function refreshSummaries(database: Database, refreshing: Refreshing): Promise<number> {
  let total = 0;
  for (;;) {
    const count = await database.transaction(async (tx) => {
      const scopes = await takeScopes(tx.db, refreshing.agentId);
      for (const scope of scopes) await refreshSummary(tx, refreshing, scope);
      return scopes.length;
    });
    total += count;
    if (count < SCOPES_AT_ONCE) return total;
  }
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
  // Worded by a model: it knows more than the rules.
  if (before?.payload.made_by === 'model') return;
  const { text: bodyText, evidence } = summaryOf(events.toReversed());
  const newest = events[0];
  if (newest === undefined || events.length < LEAST_EVENTS[scopeType] || bodyText === '') {
    if (before) await tx.db.deleteFrom('memoryStates').where('id', '=', id).execute();
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

async function takeScopes(db: Queryable, agentId: string): Promise<SummaryScope[]> {
  const { rows } = await sql<{ projectId: string; scopeType: SummaryScope['scopeType']; scopeKey: string }>`
    delete from memory_summary_scopes where (agent_id, project_id, scope_type, scope_key) in (
      select agent_id, project_id, scope_type, scope_key from memory_summary_scopes where agent_id = ${agentId}
      order by project_id, scope_type, scope_key limit ${SCOPES_AT_ONCE} for update)
    returning project_id, scope_type, scope_key`.execute(db);
  return rows
    .map(({ projectId, ...scope }) => ({ ...scope, projectId: projectId === '' ? null : projectId }))
    .sort((a, b) => summaryKey(a).localeCompare(summaryKey(b), 'en'));
}

function summaryKey({ projectId, scopeType, scopeKey }: SummaryScope): string {
  return `${projectId ?? ''} ${scopeType} ${scopeKey}`;
}

/** The newest first. */
async function eventsOf(
  db: Queryable,
  { agentId, timeZone }: Refreshing,
  { projectId, scopeType, scopeKey }: SummaryScope,
): Promise<FoundEvent[]> {
  const ofProject = sql`e.agent_id = ${agentId} and e.project_id is not distinct from ${projectId}`;
  const text = sql`left(concat_ws(E'\n', e.user_text, case when e.source in ('agent_conversation', 'remember')
    or e.user_text is null then e.assistant_text end, e.caption), ${LOOKED_AT})`;
  const named = (table: 'memory_event_entities' | 'memory_event_threads', column: string) => sql`
    select e.id, e.created_at, e.seq, e.actor, e.client_id, ${text} as text from (
      select distinct event_id, created_at from ${sql.table(table)}
      where agent_id = ${agentId} and ${sql.ref(column)} = ${scopeKey} and project_id is not distinct from ${projectId}
      order by created_at desc, event_id limit ${MOST_EVENTS}) n
    join memory_events e on e.id = n.event_id`;
  const [from, to] = scopeType === 'period' ? quarter(scopeKey, timeZone) : [];
  const select =
    scopeType === 'topic'
      ? named('memory_event_entities', 'name')
      : scopeType === 'thread'
        ? named('memory_event_threads', 'thread_key')
        : scopeType === 'period'
          ? sql`select e.id, e.created_at, e.seq, e.actor, e.client_id, ${text} as text from memory_events e
              where ${ofProject} and e.created_at >= ${from} and e.created_at < ${to}
              order by e.created_at desc, e.seq desc limit ${MOST_EVENTS}`
          : sql`select e.id, e.created_at, e.seq, e.actor, e.client_id, ${text} as text from memory_events e
              where ${ofProject} order by e.created_at desc, e.seq desc limit ${MOST_LOOKED_THROUGH}`;
  const { rows } = await sql<FoundEvent>`
    select * from (${select}) as found order by created_at desc, seq desc`.execute(db);
  // As a name is compared here, not as the locale of the database does.
  return scopeType === 'person'
    ? rows.filter((row) => subjectOf(row) === scopeKey).slice(0, MOST_EVENTS)
    : rows;
}

interface FoundEvent extends SummarisedEvent {
  readonly createdAt: Date;
  readonly seq: number;
  readonly actor: string | null;
  readonly clientId: string;
}

function quarter(key: string, timeZone: string): [Date, Date] {
  const [, year = '1970', number = '1'] = /^(\d{4})Q([1-4])$/.exec(key) ?? [];
  const first = 3 * Number(number) - 2;
  const of = (month: number) => {
    const [y, m] = month > 12 ? [Number(year) + 1, month - 12] : [Number(year), month];
    return startOfDay(`${String(y).padStart(4, '0')}-${String(m).padStart(2, '0')}-01`, timeZone);
  };
  return [of(first), of(first + 3)];
}
