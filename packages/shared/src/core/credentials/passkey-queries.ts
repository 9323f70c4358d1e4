import type { Queryable } from '../../platform/db/database.ts';

export async function hasPasskey(db: Queryable, agentId: string): Promise<boolean> {
  const credential = await db
    .selectFrom('agentCredentials')
    .select('agentId')
    .where('agentId', '=', agentId)
    .executeTakeFirst();
  return credential !== undefined;
}
