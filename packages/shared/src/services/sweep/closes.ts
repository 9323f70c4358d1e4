import { SessionRepository, type WaitingClose } from '../../db/repositories/session-repository.ts';
import { type GonePair, ViewerRepository } from '../../db/repositories/viewer-repository.ts';
import type { ServiceDeps } from '../deps.ts';
import { applySessionCommand, nowIn } from '../session-lifecycle.ts';
import { rowStep } from './sweep-step.ts';

type Pair = { readonly projectId: string; readonly agentId: string };

/** An unload beacon whose grace is over counts as a close now. */
export const goneViewers = rowStep<GonePair>({
  candidates: ({ deps }, after, limit) =>
    new ViewerRepository(deps.database.db).pairsOfGone(deps.clock.now(), { after, limit }),
  nameOf,
  act: ({ deps }, pair) => close(deps, pair, 'close'),
});

/** A close that had to wait and need not any more. */
export const waitingCloses = rowStep<WaitingClose>({
  candidates: ({ deps }, after, limit) =>
    new SessionRepository(deps.database.db).closableWithoutWork({ after, limit }),
  nameOf,
  act: ({ deps }, pair) => close(deps, pair, 'settle_close'),
});

function nameOf({ projectId, agentId }: Pair): string {
  return `${projectId}/${agentId}`;
}

async function close(deps: ServiceDeps, pair: Pair, type: 'close' | 'settle_close'): Promise<boolean> {
  return deps.database.transaction(async (tx) => {
    const sessions = new SessionRepository(tx.db);
    const viewers = new ViewerRepository(tx.db);
    await sessions.lockPair(pair.projectId, pair.agentId);
    const now = await nowIn(tx, deps.clock);
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
