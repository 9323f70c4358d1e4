import type { Queryable } from '../../platform/db/database.ts';

type Pair = { readonly projectId: string; readonly agentId: string };

/** The memberships of an agent, in the order in which their pairs are locked. */
export function pairsOfAgent(db: Queryable, agentId: string): Promise<Pair[]> {
  return db
    .selectFrom('projectAgents')
    .select(['projectId', 'agentId'])
    .where('agentId', '=', agentId)
    .orderBy('projectId')
    .execute();
}

/** The members of a project, in the same order. */
export function membersOfProject(db: Queryable, projectId: string): Promise<{ agentId: string }[]> {
  return db
    .selectFrom('projectAgents')
    .select('agentId')
    .where('projectId', '=', projectId)
    .orderBy('agentId')
    .execute();
}

/** Runs of a pair that have not exited. */
export function liveRunsOfPair(db: Queryable, pair: Pair): Promise<{ id: string }[]> {
  return db
    .selectFrom('agentRuns')
    .select('id')
    .where('projectId', '=', pair.projectId)
    .where('agentId', '=', pair.agentId)
    .where('state', '<>', 'exited')
    .execute();
}
