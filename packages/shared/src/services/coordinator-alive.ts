import type { Queryable } from '../db/database.ts';

/** A Coordinator that was not heard for this long is shown as gone. */
export const COORDINATOR_SILENT_MS = 15_000;

/** Whether anybody is there who could start something. */
export async function isCoordinatorAlive(db: Queryable, now: Date): Promise<boolean> {
  const alive = await db
    .selectFrom('coordinators')
    .select('id')
    .where('lastSeenAt', '>=', new Date(now.getTime() - COORDINATOR_SILENT_MS))
    .limit(1)
    .executeTakeFirst();
  return alive !== undefined;
}
