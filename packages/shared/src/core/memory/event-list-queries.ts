import { sql } from 'kysely';
import { z } from 'zod';
import {
  ASSISTANT_STATES,
  LINK_LABELS,
  MEMORY_SOURCES,
  type MemoryEventDetail,
} from '../../contract/memory.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { bytesOf, type PageOf, type PageRequest, parseCursor, toPage } from '../../platform/db/page.ts';
import { AppError } from '../../platform/errors.ts';
import type { EventRow } from './event-queries.ts';
import type { MemoryScope } from './memory-scope.ts';
import { inScope, partsOf } from './scope-queries.ts';

const sourceSchema = z.enum(MEMORY_SOURCES);
const assistantStateSchema = z.enum(ASSISTANT_STATES);
const labelSchema = z.enum(LINK_LABELS);

type Link = MemoryEventDetail['links'][number];

const TEXTS = ['clientId', 'sourceRef', 'actor', 'userText', 'assistantText', 'caption'] as const;

/** The newest first; of the same instant, the last stored first. */
export async function listEvents(
  db: Queryable,
  scope: MemoryScope,
  page: PageRequest,
): Promise<PageOf<EventRow>> {
  const after = placeOf(page.cursor);
  const found = await placesAfter(db, scope, after, page.limit + 1);
  const places = found.map(({ id, seq, ...place }) => ({ ...place, id: `s${seq}`, eventId: id }));
  const { rows, nextCursor } = toPage(places, page.limit);
  if (rows.length === 0) return { rows: [], nextCursor };
  const ids = rows.map(({ eventId }) => eventId);
  const events = await select(db).where('id', 'in', ids).execute();
  const byId = new Map(events.map((event) => [event.id, toEvent(event)]));
  return { rows: ids.flatMap((id) => byId.get(id) ?? []), nextCursor };
}

/** Those of a project and the general ones each in the order of their index: both together have none. */
async function placesAfter(
  db: Queryable,
  scope: MemoryScope,
  after: { createdAt: Date; seq: number } | undefined,
  limit: number,
) {
  const found = await Promise.all(
    partsOf(scope).map((part) =>
      db
        .selectFrom('memoryEvents')
        .select(['id', 'createdAt', 'seq', bytesOf({ texts: TEXTS })])
        .where('agentId', '=', scope.agentId)
        .where(part)
        .$if(after !== undefined, (query) =>
          query.where(
            sql<boolean>`(created_at, seq) < (${after?.createdAt}::timestamptz, ${after?.seq}::bigint)`,
          ),
        )
        .orderBy('createdAt', 'desc')
        .orderBy('seq', 'desc')
        .limit(limit)
        .execute(),
    ),
  );
  return found
    .flat()
    .sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || Number(b.seq) - Number(a.seq))
    .slice(0, limit);
}

export async function findEvent(
  db: Queryable,
  scope: MemoryScope,
  id: string,
): Promise<EventRow | undefined> {
  const row = await select(db).where('id', '=', id).where(inScope(scope)).executeTakeFirst();
  return row && toEvent(row);
}

/** Those of these events that are there, the newest first. */
export async function findEventsById(
  db: Queryable,
  agentId: string,
  ids: readonly string[],
): Promise<EventRow[]> {
  const rows = await select(db)
    .where('agentId', '=', agentId)
    .where('id', 'in', [...ids])
    .orderBy('createdAt', 'desc')
    .orderBy('seq', 'desc')
    .execute();
  return rows.map(toEvent);
}

/** In both directions, only to events that the scope shows; at most 200. */
export async function linksOf(db: Queryable, scope: MemoryScope, id: string): Promise<Link[]> {
  const { rows } = await sql<Link>`
    select link.from_event_id, link.to_event_id, link.label, link.confidence
    from (
      select *, to_event_id as other from memory_event_links where from_event_id = ${id}
      union all
      select *, from_event_id as other from memory_event_links where to_event_id = ${id}
    ) as link join memory_events on memory_events.id = link.other
    where ${inScope(scope)}
    order by link.from_event_id, link.to_event_id, link.label limit 200`.execute(db);
  return rows.map((row) => ({ ...row, label: labelSchema.parse(row.label) }));
}

function select(db: Queryable) {
  return db
    .selectFrom('memoryEvents')
    .select(['id', 'agentId', 'projectId', 'clientId', 'threadId', 'source', 'sourceRef', 'actor'])
    .select(['userText', 'assistantText', 'caption', 'assistantState', 'createdAt']);
}

type Selected = Omit<EventRow, 'source' | 'assistantState'> & {
  readonly source: string;
  readonly assistantState: string;
};

function toEvent({ source, assistantState, ...row }: Selected): EventRow {
  return {
    ...row,
    source: sourceSchema.parse(source),
    assistantState: assistantStateSchema.parse(assistantState),
  };
}

/** A cursor names the position in the order of storing, not an id. */
function placeOf(cursor: string | undefined): { createdAt: Date; seq: number } | undefined {
  const position = parseCursor(cursor);
  if (!position) return undefined;
  const [, seq] = /^s([0-9]{1,15})$/.exec(position.id) ?? [];
  if (seq === undefined) throw new AppError('invalid_input', 'This cursor is not valid.');
  return { createdAt: position.createdAt, seq: Number(seq) };
}
