import type { Queryable } from '../../platform/db/database.ts';
import type { MembershipKey } from '../rules/work-key.ts';

/** The memberships of an agent, in the order in which they are locked. */
export function membershipsOfAgent(db: Queryable, agentId: string): Promise<MembershipKey[]> {
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

/** Runs of a membership that have not exited. */
export function liveRunsOfMembership(db: Queryable, membership: MembershipKey): Promise<{ id: string }[]> {
  return db
    .selectFrom('agentRuns')
    .select('id')
    .where('projectId', '=', membership.projectId)
    .where('agentId', '=', membership.agentId)
    .where('state', '<>', 'exited')
    .execute();
}
