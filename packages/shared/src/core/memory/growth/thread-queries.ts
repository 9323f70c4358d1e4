import { sql } from 'kysely';
import { z } from 'zod';
import { LINK_LABELS, type MemoryThreads } from '../../../contract/memory.ts';
import type { Queryable } from '../../../platform/db/database.ts';
import type { MemoryScope } from '../memory-scope.ts';
import { partsOf } from '../scope-queries.ts';

const labelSchema = z.enum(LINK_LABELS);
const MOST_TEXT = 120;
/** Of the links between so few events. */
const MOST_LINKS = 1_000;
const MOST_THREADS_OF_EVENT = 20;

interface ThreadedEvent {
  readonly id: string;
  readonly createdAt: Date;
  readonly text: string;
  readonly threadKeys: string[];
}

type Link = MemoryThreads['links'][number];

/** Of the newest events of the scope those that belong to threads, the oldest first. */
export async function threadedEvents(
  db: Queryable,
  scope: MemoryScope,
  limit: number,
): Promise<ThreadedEvent[]> {
  const parts = partsOf(scope).map(
    (part) => sql`(select id, created_at, seq,
        left(coalesce(user_text, caption, assistant_text, ''), ${MOST_TEXT}) as text
      from memory_events where agent_id = ${scope.agentId} and ${part}
      order by created_at desc, seq desc limit ${limit})`,
  );
  const { rows } = await sql<ThreadedEvent>`
    select e.id, e.created_at, e.text, t.thread_keys
    from (select * from (${sql.join(parts, sql` union all `)}) as found
      order by created_at desc, seq desc limit ${limit}) as e
    cross join lateral (select array_agg(thread_key) as thread_keys from (
      select thread_key from memory_event_threads where event_id = e.id
      order by confidence desc, thread_key limit ${MOST_THREADS_OF_EVENT}) as own) as t
    where t.thread_keys is not null
    order by e.created_at, e.seq`.execute(db);
  return rows;
}

/** The links between these events. */
export async function linksAmong(db: Queryable, ids: readonly string[]): Promise<Link[]> {
  const { rows } = await sql<Link>`
    select from_event_id, to_event_id, label, confidence from memory_event_links
    where from_event_id = any(${ids}::text[]) and to_event_id = any(${ids}::text[])
    order by from_event_id, to_event_id, label limit ${MOST_LINKS}`.execute(db);
  return rows.map((row) => ({ ...row, label: labelSchema.parse(row.label) }));
}
