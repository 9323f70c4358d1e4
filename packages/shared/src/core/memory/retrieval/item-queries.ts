import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../../../platform/db/database.ts';
import type { Sight } from './document-queries.ts';

/** An event as it is shown in a result. */
export interface EventText {
  readonly id: string;
  readonly createdAt: Date;
  readonly seq: number;
  readonly sourceRef: string | null;
  readonly actor: string | null;
  readonly userText: string | null;
  readonly assistantText: string | null;
  readonly caption: string | null;
}

export interface StateText {
  readonly id: string;
  readonly bodyText: string;
  readonly createdAt: Date;
  readonly validTo: Date | null;
  readonly evidence: string[];
  readonly sourceRefs: string[];
}

/** A result shows at most 1,000 tokens, of at most four characters each (items.ts); one more, so that the cut is seen. */
const MAX_READ_LENGTH = 4_001;

/** The texts of an event, so much of them as can be shown. */
const textsOf = (event: string) =>
  sql.raw(
    ['user_text', 'assistant_text', 'caption']
      .map((name) => `left(${event}.${name}, ${MAX_READ_LENGTH}) as ${name}`)
      .join(', '),
  );

export async function eventTexts(db: Queryable, ids: readonly string[]): Promise<EventText[]> {
  const { rows } = await sql<EventText>`
    select e.id, e.created_at, e.seq, e.source_ref, e.actor, ${textsOf('e')}
    from memory_events e where e.id = any(${ids}::text[])`.execute(db);
  return rows;
}

/** With what its evidence was made from. */
export async function stateTexts(db: Queryable, ids: readonly string[]): Promise<StateText[]> {
  const { rows } = await sql<StateText>`
    select s.id, s.body_text, s.created_at, s.valid_to, s.evidence,
      array(select e.source_ref from memory_events e where e.id = any(s.evidence) and e.source_ref is not null
        order by e.created_at, e.seq) as source_refs
    from memory_states s where s.id = any(${ids}::text[])`.execute(db);
  return rows;
}

/** What was said directly before and after these events: `of` is the event, `side` -1 or 1. */
export async function textsBeside(
  db: Queryable,
  sight: Sight,
  ids: readonly string[],
): Promise<(EventText & { of: string; side: number })[]> {
  const { scope, asOf } = sight;
  const project =
    scope.projectId === undefined
      ? sql`true`
      : scope.projectId === null
        ? sql`n.project_id is null`
        : sql`(n.project_id is null or n.project_id = ${scope.projectId})`;
  const beside = (comparison: RawBuilder<unknown>, order: RawBuilder<unknown>, side: number) => sql`
    (select n.*, ${side}::int as side from memory_events n
      where n.agent_id = e.agent_id and n.thread_id = e.thread_id
        and (n.created_at, n.seq) ${comparison} (e.created_at, e.seq)
      order by n.created_at ${order}, n.seq ${order} limit 1)`;
  const { rows } = await sql<EventText & { of: string; side: number }>`
    select e.id as of, n.side, n.id, n.created_at, n.seq, n.source_ref, n.actor, ${textsOf('n')}
    from memory_events e cross join lateral (
      ${beside(sql`<`, sql`desc`, -1)} union all ${beside(sql`>`, sql`asc`, 1)}) n
    where e.id = any(${ids}::text[]) and ${project}
      and n.created_at <= ${asOf ?? new Date('9999-12-31T00:00:00Z')} and n.id is distinct from ${sight.exceptEventId}`.execute(
    db,
  );
  return rows;
}

/** The instant of an event that the memory of this agent holds. */
export async function instantOf(db: Queryable, agentId: string, eventId: string): Promise<Date | null> {
  const { rows } = await sql<{ createdAt: Date }>`
    select created_at from memory_events where id = ${eventId} and agent_id = ${agentId}`.execute(db);
  return rows[0]?.createdAt ?? null;
}
