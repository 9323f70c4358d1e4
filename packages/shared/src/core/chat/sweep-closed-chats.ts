import type { ServiceDeps } from '../deps.ts';
import { applySessionCommand } from '../sessions/session-lifecycle.ts';
import { SessionQueries, type WaitingClose } from '../sessions/session-queries.ts';
import { LOOK_TIME_SQL, rowStep } from '../sweep-step.ts';
import { type GonePair, ViewerQueries } from './viewer-queries.ts';

type Pair = { readonly projectId: string; readonly agentId: string };

/** An unload beacon whose grace is over counts as a close now. */
export const goneViewers = rowStep<GonePair>({
  deadlines: 'select leaving_at as at from session_viewers',
  candidates: ({ deps }, after, limit) =>
    new ViewerQueries(deps.database.db).pairsOfGone(deps.clock.now(), { after, limit }),
  nameOf,
  act: ({ deps }, pair) => close(deps, pair, 'close'),
});

/** A close that had to wait and need not any more. */
export const waitingCloses = rowStep<WaitingClose>({
  // Whoever did the last of the work settles it: this is for one who died before.
  deadlines: `select ${LOOK_TIME_SQL} as at from agent_sessions
    where state = 'active' and close_requested_at is not null`,
  candidates: ({ deps }, after, limit) =>
    new SessionQueries(deps.database.db).closableWithoutWork({ after, limit }),
  nameOf,
  act: ({ deps }, pair) => close(deps, pair, 'settle_close'),
});

function nameOf({ projectId, agentId }: Pair): string {
  return `${projectId}/${agentId}`;
}

async function close(deps: ServiceDeps, pair: Pair, type: 'close' | 'settle_close'): Promise<boolean> {
  return deps.database.transaction(async (tx) => {
    const sessions = new SessionQueries(tx.db);
    const viewers = new ViewerQueries(tx.db);
    await sessions.lockPair(pair.projectId, pair.agentId);
    const now = await tx.now();
    if (type === 'close' && !(await viewers.removeGone(pair, now))) return false;
    const viewersLeft = await viewers.count(pair, now);
    let isClosed = false;
    for (const session of await sessions.lockOpen(pair.projectId, pair.agentId)) {
      if (session.purpose !== 'chat') continue;
      const work = await sessions.work(session.id);
      if (await applySessionCommand(tx, session, { type, viewersLeft, work }, now)) isClosed = true;
    }
    return isClosed;
  });
}
