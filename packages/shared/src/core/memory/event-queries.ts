import { sql } from 'kysely';
import type { ASSISTANT_STATES, MemorySource } from '../../contract/memory.ts';
import type { Queryable } from '../../platform/db/database.ts';
import type { IndexedDocument } from './rules/index-terms.ts';

export interface EventRow {
  readonly id: string;
  readonly agentId: string;
  readonly projectId: string | null;
  readonly clientId: string;
  readonly threadId: string;
  readonly source: MemorySource;
  readonly sourceRef: string | null;
  readonly actor: string | null;
  readonly userText: string | null;
  readonly assistantText: string | null;
  readonly caption: string | null;
  readonly assistantState: (typeof ASSISTANT_STATES)[number];
  readonly createdAt: Date;
}

/** The texts of an event by which it is found. */
export type EventTexts = Pick<
  EventRow,
  'id' | 'agentId' | 'actor' | 'userText' | 'assistantText' | 'caption' | 'createdAt'
>;

export interface DocumentedEvent {
  readonly event: EventRow;
  readonly document: IndexedDocument;
}

/**
 * Stores the events in their order, and their documents, by one statement. Returns the ids of those that are new: an
 * event whose sourceRef is known in its project and from its source is left out.
 */
export async function insertEvents(db: Queryable, items: readonly DocumentedEvent[]): Promise<Set<string>> {
  const column = <T>(read: (item: DocumentedEvent) => T) => items.map(read);
  const { rows } = await sql<{ id: string }>`
    with items as (
      select * from unnest(
        ${column(({ event }) => event.id)}::text[], ${column(({ event }) => event.agentId)}::text[],
        ${column(({ event }) => event.projectId)}::text[], ${column(({ event }) => event.clientId)}::text[],
        ${column(({ event }) => event.threadId)}::text[], ${column(({ event }) => event.source)}::text[],
        ${column(({ event }) => event.sourceRef)}::text[], ${column(({ event }) => event.actor)}::text[],
        ${column(({ event }) => event.userText)}::text[], ${column(({ event }) => event.assistantText)}::text[],
        ${column(({ event }) => event.caption)}::text[], ${column(({ event }) => event.assistantState)}::text[],
        ${column(({ event }) => event.createdAt.toISOString())}::timestamptz[],
        ${column(({ document }) => document.length)}::integer[],
        ${column(({ document }) => termsLiteral(document))}::text[]
      ) with ordinality as item (id, agent_id, project_id, client_id, thread_id, source, source_ref, actor, user_text,
        assistant_text, caption, assistant_state, created_at, length, terms, place)
    ), stored as (
      insert into memory_events (id, agent_id, project_id, client_id, thread_id, source, source_ref, actor, user_text,
        assistant_text, caption, assistant_state, created_at)
      select id, agent_id, project_id, client_id, thread_id, source, source_ref, actor, user_text, assistant_text,
        caption, assistant_state, created_at
      from items order by place
      on conflict (agent_id, coalesce(project_id, ''), source, source_ref) where source_ref is not null do nothing
      returning id, seq
    ), growing as (
      insert into memory_growth (event_id, agent_id, project_id, created_at, seq)
      select i.id, i.agent_id, i.project_id, i.created_at, s.seq from items i join stored s on s.id = i.id
    ), indexed as (
      insert into memory_documents (event_id, agent_id, project_id, created_at, length, terms)
      select i.id, i.agent_id, i.project_id, i.created_at, i.length, i.terms::integer[]
      from items i join stored s on s.id = i.id order by i.place
    )
    select id from stored`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/**
 * Links each of these events to the previous chat event of its client in the same scope. Locks that one: it may be
 * about to be deleted, then the one before it is the previous.
 */
export async function linkReplies(db: Queryable, ids: readonly string[]): Promise<void> {
  await sql`
    insert into memory_event_links (from_event_id, to_event_id, label)
    select e.id, previous.id, 'reply_to'
    from memory_events e cross join lateral (
      select p.id from memory_events p
      where p.agent_id = e.agent_id and p.client_id = e.client_id
        and coalesce(p.project_id, '') = coalesce(e.project_id, '') and p.source = 'chat'
        and (p.created_at, p.seq) < (e.created_at, e.seq)
      order by p.created_at desc, p.seq desc limit 1
      for key share
    ) as previous
    where e.id = any(${ids}) and e.source = 'chat'
    on conflict do nothing`.execute(db);
}

/** Writes the reply of a turn. undefined: the event was deleted meanwhile. */
export async function updateReply(
  db: Queryable,
  id: string,
  reply: Pick<EventRow, 'assistantText' | 'assistantState'>,
): Promise<EventTexts | undefined> {
  return db
    .updateTable('memoryEvents')
    .set({ ...reply })
    .where('id', '=', id)
    .returning(['id', 'agentId', 'actor', 'userText', 'assistantText', 'caption', 'createdAt'])
    .executeTakeFirst();
}

/** A value of integer[] as text: arrays of arrays of different lengths cannot be passed otherwise. */
function termsLiteral({ terms }: IndexedDocument): string {
  return `{${terms.join(',')}}`;
}
