import { sql } from 'kysely';
import { ADVISORY_LOCKS } from '../../platform/db/advisory-locks.ts';
import type { Queryable } from '../../platform/db/database.ts';

/**
 * Take it before any row lock when a transaction gives a name or a membership: names are compared across many
 * rows, and when two similar names are given at the same time the second must see the first. People make such
 * writes rarely.
 */
export async function lockNames(db: Queryable): Promise<void> {
  await sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.names})`.execute(db);
}
