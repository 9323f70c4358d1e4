import type { MembershipKey } from '../rules/work-key.ts';
import { rowStep } from '../sweep-step.ts';
import { REFUSED_DEADLINES, refusedMemberships } from './over-limit-queries.ts';
import { refuseOverLimit } from './refuse-over-limit.ts';

/**
 * What waits for an agent that has used its tokens of today is refused also when nobody asks for it: no Coordinator is
 * there, or the agent makes no call.
 */
export const overLimitWork = rowStep<MembershipKey>({
  deadlines: REFUSED_DEADLINES,
  candidates: ({ deps }, after, limit) =>
    refusedMemberships(deps.database.db, { now: deps.clock.now(), after, limit }),
  nameOf: ({ projectId, agentId }) => `${projectId}/${agentId}`,
  act: ({ deps }, membership) => refuseOverLimit(deps, membership),
});
