import { sql } from 'kysely';
import type { Database } from '../../../platform/db/database.ts';

/** The first key of the locks of growth: `grow` in ASCII. */
const CLASS = 0x67726f77;

/**
 * Runs `work` while no other process grows the memory of this agent. undefined: another one does. The lock belongs to a
 * connection, so that it is free at once when its process is killed.
 */
export async function whileAlone<T>(
  { db }: Database,
  agentId: string,
  work: () => Promise<T>,
): Promise<T | undefined> {
  return db.connection().execute(async (connection) => {
    const lock = sql`${CLASS}::int, hashtext(${agentId})`;
    const { rows } = await sql<{ taken: boolean }>`select pg_try_advisory_lock(${lock}) as taken`.execute(
      connection,
    );
    if (!rows[0]?.taken) return undefined;
    try {
      return await work();
    } finally {
      await sql`select pg_advisory_unlock(${lock})`.execute(connection);
    }
  });
}
