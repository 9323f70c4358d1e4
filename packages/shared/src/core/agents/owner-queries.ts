import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';

/** This person, else the oldest owner; undefined when there is none. */
export async function findPersonOrOwner(db: Queryable, agentId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('agents')
    .select('id')
    .where('type', '=', 'human')
    .where('deletedAt', 'is', null)
    .where((eb) => eb.or([eb('id', '=', agentId), eb('accessLevel', '=', 'owner')]))
    .orderBy((eb) => eb('id', '=', agentId), 'desc')
    .orderBy('createdAt')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}

/** Deleted ones count: an id is never used again. */
export async function isKnownAgent(db: Queryable, id: string): Promise<boolean> {
  const { rows } = await sql<{ known: boolean }>`
    select exists (select from agents where id = ${id}) as known`.execute(db);
  return rows[0]?.known === true;
}
