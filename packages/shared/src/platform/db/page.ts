import { type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely';
import { AppError } from '../errors.ts';
import type { DB } from './schema.ts';

/**
 * What one page holds of texts that people and agents write, in bytes as Postgres stores them: one text may have
 * hundreds of kB. A page always holds at least one row. The length of a text is known without reading it (octet_length
 * detoasts nothing).
 */
export const PAGE_BYTES = 1_048_576;

/** Lists continue after (created_at, id): both never change, so nothing is skipped or shown twice. */
export interface Position {
  readonly createdAt: Date;
  readonly id: string;
}

export interface PageOf<T> {
  readonly rows: T[];
  readonly nextCursor: string | null;
}

export interface PageRequest {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** Postgres does not know every instant of JavaScript; rows have these years, as the contract does. */
const FIRST_INSTANT = Date.parse('0001-01-01T00:00:00Z');
const LAST_INSTANT = Date.parse('9999-12-31T23:59:59.999Z');

/** @throws AppError invalid_input: a cursor that we did not make */
export function parseCursor(cursor: string | undefined): Position | undefined {
  if (cursor === undefined) return undefined;
  const [, time = '', id] = /^(-?[0-9a-z]{1,10})\.([a-z][a-z0-9_-]{1,63})$/.exec(cursor) ?? [];
  const instant = Number.parseInt(time, 36);
  if (id === undefined || !(instant >= FIRST_INSTANT && instant <= LAST_INSTANT)) {
    throw new AppError(
      'invalid_input',
      'This cursor is not valid. Use nextCursor as it came, or leave it out.',
    );
  }
  return { createdAt: new Date(instant), id };
}

function cursorOf({ createdAt, id }: Position): string {
  return `${createdAt.getTime().toString(36)}.${id}`;
}

/** `where` of a list in order of (created_at, id): everything after the cursor. */
export function after<
  T extends 'agents' | 'projects' | 'tasks' | 'taskComments' | 'taskHistory' | 'accessTokens' | 'schedules',
>(table: T, cursor: string | undefined): (eb: ExpressionBuilder<DB, T>) => ReturnType<typeof sql<SqlBool>> {
  const position = parseCursor(cursor);
  if (!position) return () => sql<SqlBool>`true`;
  return () =>
    sql<SqlBool>`(${sql.ref(`${table}.createdAt`)}, ${sql.ref(`${table}.id`)}) > (${position.createdAt}::timestamptz, ${position.id})`;
}

/**
 * Cuts rows that were read with `limit + 1`, and where rows have a size (`bytesOf`) those beyond PAGE_BYTES.
 */
export function toPage<T extends Position & { readonly bytes?: number }>(
  rows: T[],
  limit: number,
): PageOf<T> {
  const page = rows.slice(0, Math.min(limit, countThatFits(rows.map(({ bytes = 0 }) => bytes))));
  const last = page.at(-1);
  return { rows: page, nextCursor: rows.length > page.length && last ? cursorOf(last) : null };
}

/** How many rows of these sizes, from the first on, one page holds: at least one. */
function countThatFits(sizes: readonly number[]): number {
  let bytes = 0;
  const next = sizes.findIndex((size, index) => {
    bytes += size;
    return index > 0 && bytes > PAGE_BYTES;
  });
  return next === -1 ? sizes.length : next;
}

/** The size of a row by its texts, and its values that are JSON (`json`), to select as `bytes`. */
export function bytesOf({ texts = [], json = [] }: { texts?: readonly string[]; json?: readonly string[] }) {
  const sizes: RawBuilder<unknown>[] = [
    ...texts.map((column) => sql`coalesce(octet_length(${sql.ref(column)}), 0)`),
    ...json.map((column) => sql`coalesce(octet_length(${sql.ref(column)}::text), 0)`),
  ];
  return sql<number>`${sql.join(sizes, sql` + `)}`.as('bytes');
}

/** Reads a page in two steps: `found` with `limit + 1` and without texts, then the rows that fit, in its order. */
export async function readPage<T extends { readonly id: string }>(
  found: (Position & { readonly bytes: number })[],
  limit: number,
  read: (ids: readonly string[]) => Promise<readonly T[]>,
): Promise<PageOf<T>> {
  const { rows: places, nextCursor } = toPage(found, limit);
  if (places.length === 0) return { rows: [], nextCursor };
  const rows = new Map((await read(places.map(({ id }) => id))).map((row) => [row.id, row]));
  return { rows: places.flatMap(({ id }) => rows.get(id) ?? []), nextCursor };
}

/** The first of these ids, as many as one page holds; a row without a size does not exist any more. */
export function firstThatFit(ids: readonly string[], sizes: ReadonlyMap<string, number>): readonly string[] {
  return ids.slice(0, countThatFits(ids.map((id) => sizes.get(id) ?? 0)));
}
