import type { Queryable } from '../../platform/db/database.ts';

/** What an agent or a person is called; the id when there is none of this id. */
export async function agentName(db: Queryable, agentId: string): Promise<string> {
  const row = await db.selectFrom('agents').select('name').where('id', '=', agentId).executeTakeFirst();
  return row?.name ?? agentId;
}

/** The same of several. */
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
