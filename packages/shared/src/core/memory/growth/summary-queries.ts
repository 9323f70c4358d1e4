import { sql } from 'kysely';
import type { Queryable } from '../../../platform/db/database.ts';
import { startOfDay } from '../rules/growth/about-time.ts';
import { subjectOf } from '../rules/growth/rule-growth.ts';
import type { SummarisedEvent } from '../rules/growth/summary-text.ts';
import type { SummaryScope } from './apply-queries.ts';

export interface Refreshing {
  readonly agentId: string;
  readonly timeZone: string;
}

const MOST_EVENTS = 40;
/** Of one person the newest among so many of all. */
const MOST_LOOKED_THROUGH = 200;
const LOOKED_AT = 600;
/** Of dates with four digits. */
const LAST_YEAR = 9_999;
const END_OF_TIME = new Date('9999-12-31T23:59:59.999Z');

export async function takeScopes(db: Queryable, agentId: string, limit: number): Promise<SummaryScope[]> {
  const { rows } = await sql<{ projectId: string; scopeType: SummaryScope['scopeType']; scopeKey: string }>`
    delete from memory_summary_scopes where (agent_id, project_id, scope_type, scope_key) in (
      select agent_id, project_id, scope_type, scope_key from memory_summary_scopes where agent_id = ${agentId}
      order by project_id, scope_type, scope_key limit ${limit} for update)
    returning project_id, scope_type, scope_key`.execute(db);
  return rows
    .map(({ projectId, ...scope }) => ({ ...scope, projectId: projectId === '' ? null : projectId }))
    .sort((a, b) => summaryKey(a).localeCompare(summaryKey(b), 'en'));
}

function summaryKey({ projectId, scopeType, scopeKey }: SummaryScope): string {
  return `${projectId ?? ''} ${scopeType} ${scopeKey}`;
}

/** A person has given this summary its words: they stay until an event that it was made of is deleted. */
export async function isWordedByPerson(db: Queryable, stateId: string): Promise<boolean> {
  const { rows } = await sql`
    select from memory_revisions where state_id = ${stateId} and made_by = 'person'
      and before ->> 'bodyText' <> after ->> 'bodyText' limit 1`.execute(db);
  return rows.length > 0;
}

/** The newest first. */
export async function eventsOf(
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
    if (y > LAST_YEAR) return END_OF_TIME;
    return startOfDay(`${String(y).padStart(4, '0')}-${String(m).padStart(2, '0')}-01`, timeZone);
  };
  return [of(first), of(first + 3)];
}
