import { sql } from 'kysely';
import type { Queryable } from '../../../platform/db/database.ts';

/** How many of these events are there; nobody deletes them until the transaction has ended. */
export async function keepSeenEvents(db: Queryable, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const { rows } = await sql`
    select from memory_events where id = any(${ids}::text[]) order by id for key share`.execute(db);
  return rows.length;
}

export async function textsOfStates(db: Queryable, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ id: string; bodyText: string }>`
    select id, body_text from memory_states where id = any(${ids}::text[])`.execute(db);
  return new Map(rows.map(({ id, bodyText }) => [id, bodyText]));
}
