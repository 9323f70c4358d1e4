import { sql } from 'kysely';
import type { Queryable } from '../../../platform/db/database.ts';
import type { MemoryScope } from '../memory-scope.ts';
import { type EmbeddedItem, LONGEST_TEXT } from '../rules/embedding-text.ts';

/** What is known of a model. */
export interface EmbeddingRow {
  readonly position: number;
  readonly weight: number | null;
  readonly dimensions: number | null;
}

export interface PendingDocument {
  readonly id: number;
  readonly textSeq: number;
  readonly item: EmbeddedItem;
}

/** A part of the documents by the order of their writing: after `after`, up to `to`. */
export interface TextRange {
  readonly after: number;
  readonly to: number;
}

/** From now on this model is the configured one. One that was configured since may have replaced its vectors. */
export async function configureModel(db: Queryable, model: string): Promise<void> {
  await sql`
    insert into memory_embedding as e (model) values (${model})
    on conflict (model) do update set configured_at = clock_timestamp(), position = case
      when exists (select from memory_embedding later where later.configured_at > e.configured_at) then 0
      else e.position end`.execute(db);
}

export async function findEmbedding(db: Queryable, model: string): Promise<EmbeddingRow | undefined> {
  return db
    .selectFrom('memoryEmbedding')
    .select(['position', 'weight', 'dimensions'])
    .where('model', '=', model)
    .executeTakeFirst();
}

/** Takes the lease of a model, or makes its own longer. False: another process has it, or has another model since. */
export async function takeLease(
  db: Queryable,
  model: string,
  { owner, leaseMs }: { readonly owner: string; readonly leaseMs: number },
): Promise<boolean> {
  const { rows } = await sql`
    update memory_embedding e set lease_owner = ${owner},
      lease_until = clock_timestamp() + ${leaseMs}::float8 * interval '1 millisecond'
    where e.model = ${model} and (e.lease_owner is not distinct from ${owner} or e.lease_until <= clock_timestamp())
      and not exists (select from memory_embedding later where later.configured_at > e.configured_at)
    returning e.model`.execute(db);
  return rows.length > 0;
}

export async function releaseLease(db: Queryable, model: string, owner: string): Promise<void> {
  await sql`update memory_embedding set lease_owner = null, lease_until = '-infinity'
    where model = ${model} and lease_owner = ${owner}`.execute(db);
}

export async function saveMeasure(
  db: Queryable,
  model: string,
  { weight, dimensions }: { readonly weight: number; readonly dimensions: number },
): Promise<void> {
  await sql`update memory_embedding set weight = ${weight}, dimensions = ${dimensions}, updated_at = clock_timestamp()
    where model = ${model}`.execute(db);
}

/** Unless another process has moved it. */
export async function movePosition(
  db: Queryable,
  model: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  await sql`update memory_embedding set position = ${to}, updated_at = clock_timestamp()
    where model = ${model} and position = ${from}`.execute(db);
}

/** The place of the text that was written last. */
export async function lastTextSeq(db: Queryable): Promise<number> {
  const { rows } = await sql<{ last: number }>`
    select coalesce(max(text_seq), 0)::bigint as last from memory_documents`.execute(db);
  return rows[0]?.last ?? 0;
}

/** The documents of a range that this model has not embedded as they are now. */
export async function pendingDocuments(
  db: Queryable,
  model: string,
  { after, to }: TextRange,
  { limit, order }: { readonly limit: number; readonly order: 'oldest' | 'newest' },
): Promise<PendingDocument[]> {
  const { rows } = await sql<PendingRow>`
    with pending as materialized (
      select d.id, d.text_seq, d.event_id, d.state_id from memory_documents d
      where d.text_seq > ${after} and d.text_seq <= ${to} and not exists (
        select from memory_vectors v where v.document_id = d.id and v.model = ${model} and v.text_seq = d.text_seq)
      order by d.text_seq ${order === 'newest' ? sql`desc` : sql`asc`} limit ${limit})
    select d.id, d.text_seq, e.created_at, e.actor, left(e.user_text, ${LONGEST_TEXT}) as user_text,
      left(e.assistant_text, ${LONGEST_TEXT}) as assistant_text, left(e.caption, ${LONGEST_TEXT}) as caption,
      s.kind, left(s.body_text, ${LONGEST_TEXT}) as body_text, s.payload::text as payload
    from pending d left join memory_events e on e.id = d.event_id left join memory_states s on s.id = d.state_id
    order by d.text_seq ${order === 'newest' ? sql`desc` : sql`asc`}`.execute(db);
  return rows.map(toPending);
}

interface PendingRow {
  readonly id: number;
  readonly textSeq: number;
  readonly createdAt: Date | null;
  readonly actor: string | null;
  readonly userText: string | null;
  readonly assistantText: string | null;
  readonly caption: string | null;
  readonly kind: string | null;
  readonly bodyText: string | null;
  readonly payload: string | null;
}

function toPending({
  id,
  textSeq,
  createdAt,
  kind,
  bodyText,
  payload,
  ...event
}: PendingRow): PendingDocument {
  return {
    id,
    textSeq,
    item:
      createdAt === null
        ? { type: 'state', kind: kind ?? '', bodyText: bodyText ?? '', payload: payload ?? '{}' }
        : { type: 'event', createdAt, ...event },
  };
}

/**
 * Stores vectors by one statement, but not of a document that is deleted, written anew, or being so. Returns those that
 * were stored, with their place in the order of writing. It waits for no other transaction while it holds a row, so it is in no deadlock.
 */
export async function storeVectors(
  db: Queryable,
  model: string,
  items: readonly { readonly id: number; readonly textSeq: number; readonly vector: Buffer | null }[],
): Promise<Map<number, number>> {
  const column = <T>(read: (item: (typeof items)[number]) => T) => items.map(read);
  const { rows } = await sql<{ documentId: number; seq: number }>`
    with items as (
      select * from unnest(${column(({ id }) => id)}::bigint[], ${column(({ textSeq }) => textSeq)}::bigint[],
        ${column(({ vector }) => vector)}::bytea[]) as item (id, text_seq, vector)
    ), held as materialized (
      select d.id, d.agent_id, d.text_seq, i.vector
      from items i join memory_documents d on d.id = i.id and d.text_seq = i.text_seq
      for share of d skip locked)
    insert into memory_vectors (document_id, agent_id, model, text_seq, vector)
    select id, agent_id, ${model}, text_seq, vector from held order by id
    on conflict (document_id) do update set model = excluded.model, text_seq = excluded.text_seq,
      vector = excluded.vector, seq = default
    returning document_id, seq`.execute(db);
  return new Map(rows.map(({ documentId, seq }) => [documentId, seq]));
}

/** What of a memory the configured model has not embedded yet, and what it refuses. No model ever: nothing. */
export async function countPending(
  db: Queryable,
  { agentId, projectId }: MemoryScope,
): Promise<{ pending: number; failed: number }> {
  const project =
    projectId === undefined ? sql`true` : sql`(d.project_id is null or d.project_id = ${projectId})`;
  const { rows } = await sql<{ pending: number; failed: number }>`
    select count(*) filter (where v.document_id is null)::int as pending,
      count(*) filter (where v.document_id is not null and v.vector is null)::int as failed
    from (select model from memory_embedding order by configured_at desc limit 1) c
      join memory_documents d on d.agent_id = ${agentId} and ${project}
      left join memory_vectors v on v.document_id = d.id and v.model = c.model and v.text_seq = d.text_seq`.execute(
    db,
  );
  return rows[0] ?? { pending: 0, failed: 0 };
}
