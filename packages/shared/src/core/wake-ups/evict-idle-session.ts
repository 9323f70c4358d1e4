import type { Queryable } from '../../platform/db/database.ts';
import { ViewerQueries } from '../chat/viewer-queries.ts';
import type { ServiceDeps } from '../deps.ts';
import { applySessionCommand } from '../sessions/session-lifecycle.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import type { Attempt } from '../sweep-step.ts';
import { findIdleLongest, type IdleSession, lockAllPlaces } from './place-queries.ts';
import { type RoomWanted, roomWanted } from './room-queries.ts';

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
    const found = await findIdle(db, now, asked);
    if (!found) {
      asked.length = 0;
      break;
    }
    asked.push(found.session.id);
    if (await attempt(found.session.id, () => evict(deps, found.session, found.room))) count += 1;
  }
  return count;
}

type Room = keyof RoomWanted;

/** The session that has to leave next, and for which room. */
async function findIdle(
  db: Queryable,
  now: Date,
  except: readonly string[],
): Promise<{ session: IdleSession; room: Room } | undefined> {
  const wanted = await roomWanted(db, now);
  for (const room of ['keepingEgress', 'inContainers', 'anywhere'] as const) {
    const session = wanted[room] ? await findIdleLongest(db, now, { except, room }) : undefined;
    if (session) return { session, room };
  }
  return undefined;
}

async function evict(
  deps: Pick<ServiceDeps, 'database' | 'clock'>,
  found: IdleSession,
  room: Room,
): Promise<boolean> {
  return deps.database.transaction(async (tx) => {
    const sessions = new SessionQueries(tx.db);
    await sessions.lockMembership(found.projectId, found.agentId);
    await lockAllPlaces(tx.db);
    const session = await sessions.lockById(found.id);
    const now = await tx.now();
    if (!session || !(await roomWanted(tx.db, now))[room]) return false;
    const work = await sessions.work(found.id);
    const viewersLeft = await new ViewerQueries(tx.db).count(found, now);
    return (await applySessionCommand(tx, session, { type: 'evict', viewersLeft, work }, now)) !== null;
  });
}
