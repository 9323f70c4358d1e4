import type { Queryable } from '../../platform/db/database.ts';

/** The name of an agent or a person; the id when no row has this id. */
export async function agentName(db: Queryable, agentId: string): Promise<string> {
  const row = await db.selectFrom('agents').select('name').where('id', '=', agentId).executeTakeFirst();
  return row?.name ?? agentId;
}

/** The same for several ids. */
export async function agentNames(
  db: Queryable,
  agentIds: readonly string[],
): Promise<(agentId: string) => string> {
  const agents = await db
    .selectFrom('agents')
    .select(['id', 'name'])
    .where('id', 'in', [...agentIds])
    .execute();
  return (agentId) => agents.find((agent) => agent.id === agentId)?.name ?? agentId;
}
