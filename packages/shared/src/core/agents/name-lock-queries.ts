import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';

/** Any number; ours alone among the advisory locks of the database. */
const NAMES_LOCK = 4_712_015;

/**
 * To be taken before any row by what gives a name or a membership: names are compared over many rows, and of two that
 * look alike and come at once the second must see the first. These are rare writes of people.
 */
export async function lockNames(db: Queryable): Promise<void> {
  await sql`select pg_advisory_xact_lock(${NAMES_LOCK})`.execute(db);
}
