import { type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { AppError } from '../../errors.ts';
import type { DB } from '../schema.ts';

/** Lists go on after (created_at, id): both never change, so nothing is skipped or shown twice. */
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

/** Throws invalid_input for a cursor that we did not make. */
export function parseCursor(cursor: string | undefined): Position | undefined {
  if (cursor === undefined) return undefined;
  const match = /^([0-9a-z]{1,10})\.([a-z][a-z0-9_-]{1,63})$/.exec(cursor);
  const [, time, id] = match ?? [];
  if (time === undefined || id === undefined) {
    throw new AppError(
      'invalid_input',
      'This cursor is not valid. Use nextCursor as it came, or leave it out.',
    );
  }
  return { createdAt: new Date(Number.parseInt(time, 36)), id };
}

function cursorOf({ createdAt, id }: Position): string {
  return `${createdAt.getTime().toString(36)}.${id}`;
}

/** `where` of a list in order of (created_at, id): everything after the cursor. */
export function after<T extends 'agents' | 'projects' | 'tasks' | 'accessTokens' | 'schedules'>(
  table: T,
  cursor: string | undefined,
): (eb: ExpressionBuilder<DB, T>) => ReturnType<typeof sql<SqlBool>> {
  const position = parseCursor(cursor);
  if (!position) return () => sql<SqlBool>`true`;
  return () =>
    sql<SqlBool>`(${sql.ref(`${table}.createdAt`)}, ${sql.ref(`${table}.id`)}) > (${position.createdAt}::timestamptz, ${position.id})`;
}

/** Cuts what was read with `limit + 1`. */
export function toPage<T extends Position>(rows: T[], limit: number): PageOf<T> {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { rows: page, nextCursor: rows.length > limit && last ? cursorOf(last) : null };
}
