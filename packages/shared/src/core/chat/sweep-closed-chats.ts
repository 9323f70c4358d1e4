import type { ServiceDeps } from '../deps.ts';
import type { MembershipKey } from '../rules/work-key.ts';
import { applySessionCommand } from '../sessions/session-lifecycle.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import { closableWithoutWork, type WaitingClose } from '../sessions/sweep-queries.ts';
import { LOOK_TIME_SQL, rowStep } from '../sweep-step.ts';
import { type GoneMembership, ViewerQueries } from './viewer-queries.ts';

/** A leave beacon whose grace is over counts as a close now. */
export const goneViewers = rowStep<GoneMembership>({
  deadlines: 'select leaving_at as at from session_viewers',
  candidates: ({ deps }, after, limit) =>
    new ViewerQueries(deps.database.db).membershipsOfGone(deps.clock.now(), { after, limit }),
  nameOf,
  act: ({ deps }, membership) => close(deps, membership, 'close'),
});

/** A close that had to wait and need not wait any longer. */
export const waitingCloses = rowStep<WaitingClose>({
  // Normally the process that did the last of the work settles it; this repairs it after that process died.
  deadlines: `select ${LOOK_TIME_SQL} as at from agent_sessions
    where state = 'active' and close_requested_at is not null`,
  candidates: ({ deps }, after, limit) => closableWithoutWork(deps.database.db, { after, limit }),
  nameOf,
  act: ({ deps }, membership) => close(deps, membership, 'settle_close'),
});

function nameOf({ projectId, agentId }: MembershipKey): string {
  return `${projectId}/${agentId}`;
}

async function close(
  deps: ServiceDeps,
  membership: MembershipKey,
  type: 'close' | 'settle_close',
): Promise<boolean> {
  return deps.database.transaction(async (tx) => {
    const sessions = new SessionQueries(tx.db);
    const viewers = new ViewerQueries(tx.db);
    await sessions.lockMembership(membership.projectId, membership.agentId);
    const now = await tx.now();
    if (type === 'close' && !(await viewers.removeGone(membership, now))) return false;
    const viewersLeft = await viewers.count(membership, now);
    let isClosed = false;
    for (const session of await sessions.lockOpen(membership.projectId, membership.agentId)) {
      if (session.purpose !== 'chat') continue;
      const work = await sessions.work(session.id);
      if (await applySessionCommand(tx, session, { type, viewersLeft, work }, now)) isClosed = true;
    }
    return isClosed;
  });
}
