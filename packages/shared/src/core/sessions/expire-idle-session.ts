import type { ServiceDeps } from '../deps.ts';
import { applySessionCommand } from './session-lifecycle.ts';
import { SessionQueries } from './session-queries.ts';

/**
 * Begins the end of a session that is idle; false when there is nothing to end, or work arrived meanwhile.
 */
export async function expireIdleSession(
  deps: Pick<ServiceDeps, 'database' | 'clock'>,
  sessionId: string,
  timeoutMs: number,
): Promise<boolean> {
  const found = await new SessionQueries(deps.database.db).findById(sessionId);
  if (!found) return false;
  return deps.database.transaction(async (tx) => {
    const sessions = new SessionQueries(tx.db);
    await sessions.lockMembership(found.projectId, found.agentId);
    const session = await sessions.lockById(sessionId);
    if (!session) return false;
    const work = await sessions.work(sessionId);
    const now = await tx.now();
    return (await applySessionCommand(tx, session, { type: 'idle', work, timeoutMs }, now)) !== null;
  });
}
