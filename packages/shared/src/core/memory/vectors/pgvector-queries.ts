import { sql } from 'kysely';
import pg from 'pg';
import { ADVISORY_LOCKS } from '../../../platform/db/advisory-locks.ts';
import type { Database, Queryable } from '../../../platform/db/database.ts';
import type { NearestInput } from './nearest.ts';

/**
 * The table of pgvector: a copy of what memory_vectors holds, with what a search filters by. It is in no migration, as its
 * type is not there without the extension. Another form of it gets another number.
 */
const TABLE = sql.table('memory_pgvector_1');
/** The type holds no more numbers. */
export const MAX_DIMENSIONS = 16_000;

/** absent: the server does not have the extension. missing: the table is not made. ready: it can be read and written. */
export type PgvectorState = 'absent' | 'missing' | 'ready';

export interface CopiedVector {
  readonly id: number;
  /** Of the row in memory_vectors. */
  readonly seq: number;
  readonly vector: Float32Array | null;
}

export async function findPgvector(db: Queryable): Promise<PgvectorState> {
  if (await hasTable(db)) return 'ready';
  const { rows } = await sql`select from pg_available_extensions where name = 'vector'`.execute(db);
  return rows.length > 0 ? 'missing' : 'absent';
}

/** Without its column the table is what `drop extension … cascade` left of it. */
async function hasTable(db: Queryable): Promise<boolean> {
  const { rows } = await sql`
    select from pg_attribute
    where attrelid = to_regclass('memory_pgvector_1') and attname = 'embedding' and not attisdropped`.execute(
    db,
  );
  return rows.length > 0;
}

/**
 * Makes the extension and the table, unless another process has. To refer to memory_vectors it waits for everybody who
 * writes there: whoever stores a vector later finds this table, whatever was stored before is seen by those who copy.
 */
export async function createPgvector(db: Queryable): Promise<void> {
  await sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.pgvector})`.execute(db);
  if (await hasTable(db)) return;
  await sql`create extension if not exists vector`.execute(db);
  await sql`drop table if exists ${TABLE}`.execute(db);
  await sql`
    create table ${TABLE} (
      document_id bigint primary key references memory_vectors (document_id) on delete cascade,
      agent_id text not null,
      project_id text,
      created_at timestamptz(3) not null,
      model text not null,
      text_seq bigint not null,
      seq bigint not null,
      embedding vector not null
    )`.execute(db);
  await sql`create index memory_pgvector_1_agent_idx on ${TABLE} (agent_id, document_id)`.execute(db);
  // In the row as far as a page holds it: a search reads every vector.
  await sql`alter table ${TABLE} alter column embedding set storage main`.execute(db);
}

/** insufficient_privilege; undefined_object: the type is in a schema that is not searched. */
export function mayNotCreate(error: unknown): boolean {
  return hasCode(error, '42501', '42704');
}

/** The table, its column or the extension is gone. */
export function isGone(error: unknown): boolean {
  return hasCode(error, '42P01', '42703', '42704', '42883');
}

/** query_canceled: by the time limit of a statement. */
export function tookTooLong(error: unknown): boolean {
  return hasCode(error, '57014');
}

function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof pg.DatabaseError && codes.includes(error.code ?? '');
}

/**
 * In the transaction that stored these vectors: the table is made before it, and seen here, or after it. Those that pgvector
 * cannot hold are left out.
 */
export async function copyStored(db: Queryable, items: readonly CopiedVector[]): Promise<void> {
  if (items.length > 0 && (await hasTable(db))) await putCopies(db, items);
}

export async function putCopies(db: Queryable, items: readonly CopiedVector[]): Promise<void> {
  const held = items.filter(({ vector }) => vector !== null && vector.length <= MAX_DIMENSIONS);
  const others = items.filter((item) => !held.includes(item)).map(({ id }) => id);
  if (others.length > 0)
    await sql`delete from ${TABLE} where document_id = any(${others}::bigint[])`.execute(db);
  const texts = held.map(({ vector }) => textOf(vector ?? new Float32Array()));
  await sql`
    insert into ${TABLE} as held (document_id, agent_id, project_id, created_at, model, text_seq, seq, embedding)
    select v.document_id, v.agent_id, d.project_id, d.created_at, v.model, v.text_seq, v.seq, item.vector::vector
    from unnest(${held.map(({ id }) => id)}::bigint[], ${held.map(({ seq }) => seq)}::bigint[], ${texts}::text[])
        as item (id, seq, vector)
      join memory_vectors v on v.document_id = item.id and v.seq = item.seq
      join memory_documents d on d.id = v.document_id
    order by v.document_id
    on conflict (document_id) do update set project_id = excluded.project_id, created_at = excluded.created_at,
      model = excluded.model, text_seq = excluded.text_seq, seq = excluded.seq, embedding = excluded.embedding
      where held.seq < excluded.seq`.execute(db);
}

/** As pgvector reads it: the shortest that gives the same float32 again would be no shorter to write. */
function textOf(vector: Float32Array): string {
  return `[${vector.join(',')}]`;
}

/** The end of the part of memory_vectors that follows `after`, and which of it is not copied. Null: none follows. */
export async function findUncopied(
  db: Queryable,
  { after, range, limit }: { readonly after: number; readonly range: number; readonly limit: number },
): Promise<{ readonly to: number; readonly ids: number[] } | null> {
  const { rows } = await sql<{ to: number | null; ids: number[] | null }>`
    with part as materialized (
      select document_id from memory_vectors where document_id > ${after} order by document_id limit ${range}
    ), uncopied as materialized (
      select document_id from part where not exists (select from ${TABLE} c where c.document_id = part.document_id)
    ), chosen as (
      select v.document_id from memory_vectors v
      where v.document_id in (select document_id from uncopied)
        and length(v.vector) between 1 and ${MAX_DIMENSIONS * Float32Array.BYTES_PER_ELEMENT}
      order by v.document_id limit ${limit})
    select (select max(document_id) from part) as to, (select array_agg(document_id) from chosen) as ids`.execute(
    db,
  );
  const { to = null, ids = null } = rows[0] ?? {};
  if (to === null) return null;
  return { to: ids?.length === limit ? Math.max(...ids) : to, ids: ids ?? [] };
}

/**
 * Their vectors as they are now. It waits for nobody who deletes one of them, and nobody can delete one until the end of
 * the transaction; who writes one anew copies it anew.
 */
export async function holdVectors(
  db: Queryable,
  ids: readonly number[],
): Promise<{ readonly id: number; readonly seq: number; readonly vector: Buffer }[]> {
  const { rows } = await sql<{ id: number; seq: number; vector: Buffer }>`
    select document_id as id, seq, vector from memory_vectors
    where document_id = any(${ids}::bigint[]) and vector is not null
    order by document_id for key share skip locked`.execute(db);
  return rows;
}

export interface NearestRow {
  readonly documentId: number;
  /** Null: the text was written anew since, and its vector is not yet gone. */
  readonly item: string | null;
}

/**
 * Its parameter is no vector: a statement that was prepared before the extension was made anew would name a type that is
 * gone. A select of its own reads the parameter once: a plan that is kept would read it for each row.
 */
export const NEAREST = `
  select near.document_id as "documentId", coalesce(d.event_id, d.state_id) as item
  from (
    select document_id, text_seq, embedding <#> (select $6::text::vector) as distance from memory_pgvector_1
    where agent_id = $1 and model = $2 and ($3::boolean or project_id is null or project_id = $4) and created_at <= $5
      and document_id <> all($7::bigint[])
    order by distance, document_id desc limit $8) near
  left join lateral (select * from memory_documents where id = near.document_id offset 0) d
    on d.text_seq = near.text_seq
  order by near.distance, near.document_id desc`;

/** The nearest of an agent, the nearest first; equals by their id. */
export function findNearest(
  reads: Pick<Database, 'statement'>,
  { agentId, model, projectId, asOf, query, limit }: NearestInput,
  without: readonly number[],
): Promise<NearestRow[]> {
  return reads.statement<NearestRow>({
    name: 'memory_pgvector_nearest',
    text: NEAREST,
    values: [
      agentId,
      model,
      projectId === undefined,
      projectId ?? null,
      asOf === null ? 'infinity' : new Date(asOf),
      textOf(query),
      without,
      limit,
    ],
  });
}
