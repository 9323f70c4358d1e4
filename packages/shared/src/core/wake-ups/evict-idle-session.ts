import type { AgentExecutor } from '../../contract/agent.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { ViewerQueries } from '../chat/viewer-queries.ts';
import type { ServiceDeps } from '../deps.ts';
import { applySessionCommand } from '../sessions/session-lifecycle.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import type { Attempt } from '../sweep-step.ts';
import { findIdleLongest, type IdleSession, lockAllPlaces } from './place-queries.ts';
import { isRoomWanted } from './start-queue-queries.ts';

/** In one round; the next is a second away. */
const MAX_EVICTIONS = 20;

/**
 * Ends as many idle warm sessions as rows wait for a place beyond those that become free anyway; the one that
 * has been idle longest first, never one with a viewer or with work. Returns how many.
 *
 * `asked`: ids of those that were asked; one that cannot leave must not prevent that others are asked.
 * Emptied when all were asked, or no place is needed.
 */
export async function makeRoom(
  deps: Pick<ServiceDeps, 'database' | 'clock'>,
  attempt: Attempt,
  asked: string[] = [],
): Promise<number> {
  let count = 0;
  for (let times = 0; times < MAX_EVICTIONS; times += 1) {
    const { db } = deps.database;
    const now = deps.clock.now();
    const found = await findLeaving(db, now, asked);
    if (!found) {
      asked.length = 0;
      break;
    }
    asked.push(found.id);
    if (await attempt(found.id, () => evict(deps, found))) count += 1;
  }
  return count;
}

interface Leaving extends IdleSession {
  /** For whom it makes room. */
  readonly on: AgentExecutor;
}

/** For those first that must live in containers: their room counts for all. */
async function findLeaving(
  db: Queryable,
  now: Date,
  except: readonly string[],
): Promise<Leaving | undefined> {
  for (const on of ['docker', 'any'] as const) {
    if (!(await isRoomWanted(db, now, on))) continue;
    const found = await findIdleLongest(db, now, { on, except });
    if (found) return { ...found, on };
  }
  return undefined;
}

async function evict(deps: Pick<ServiceDeps, 'database' | 'clock'>, found: Leaving): Promise<boolean> {
  return deps.database.transaction(async (tx) => {
    const sessions = new SessionQueries(tx.db);
    await sessions.lockMembership(found.projectId, found.agentId);
    await lockAllPlaces(tx.db);
    const session = await sessions.lockById(found.id);
    const now = await tx.now();
    if (!session || !(await isRoomWanted(tx.db, now, found.on))) return false;
    const work = await sessions.work(found.id);
    const viewersLeft = await new ViewerQueries(tx.db).count(found, now);
    return (await applySessionCommand(tx, session, { type: 'evict', viewersLeft, work }, now)) !== null;
  });
}
