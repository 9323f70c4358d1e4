import { sql } from 'kysely';
import { appendFacts } from '../../platform/changes/change-log.ts';
import type { Queryable, Tx } from '../../platform/db/database.ts';
import { ViewerQueries } from '../chat/viewer-queries.ts';
import { COORDINATOR_SILENT_MS } from '../coordinators/coordinator-alive.ts';
import type { ServiceDeps } from '../deps.ts';
import { applySessionCommand } from '../sessions/session-lifecycle.ts';
import { SessionQueries, WORK_SQL } from '../sessions/session-queries.ts';
import type { Attempt } from '../sweep-step.ts';
import { type PurposeRecord, WakeUpQueries } from './wake-up-queries.ts';

/*
 * Coordinators have so many places. Who finds none waits in one queue, oldest first, and the warm session that has
 * been idle longest makes room.
 */

/** A run that we gave up keeps its place as long as its host has listed it lately: each beat renews the moment. */
const GIVEN_UP_LISTED_MS = 10_000;
/** Further back nobody looks at his position by the second. */
const QUEUE_TOLD = 100;
/** In one round; the next is a second away. */
const MOST_EVICTIONS = 20;

/** Places that a Coordinator `c` has given away, in SQL. */
function used(now: Date) {
  return sql<number>`(select count(*) from agent_runs r where r.coordinator_id = c.id and r.state <> 'exited')
    + (select count(*) from agent_runs r where r.coordinator_id = c.id and r.exit_cause in ('lost', 'stalled')
      and r.stop_requested_at > ${new Date(now.getTime() - GIVEN_UP_LISTED_MS)})`;
}

/** Under the Coordinator's row lock: two starts at once never share the last place (I-9). */
export async function hasFreePlace(
  db: Queryable,
  coordinatorId: string | undefined,
  now: Date,
): Promise<boolean> {
  if (coordinatorId === undefined) return true;
  await db.selectFrom('coordinators').select('id').where('id', '=', coordinatorId).forUpdate().execute();
  return seemsToHaveAPlace(db, coordinatorId, now);
}

/** Without a lock: a hint for what to list, the start itself looks again. */
export async function seemsToHaveAPlace(db: Queryable, coordinatorId: string, now: Date): Promise<boolean> {
  const { rows } = await sql<{ free: boolean }>`
    select ${used(now)} < c.capacity as free from coordinators c where c.id = ${coordinatorId}`.execute(db);
  return rows[0]?.free ?? true;
}

/**
 * Somebody could start agents, and every place is taken or goes to rows that came before. Only for those who could
 * start now the clock goes on: else one free place would bring the whole queue to its feet.
 */
export async function isPlaceMissing(
  db: Queryable,
  row: Pick<PurposeRecord, 'projectId' | 'agentId'>,
  now: Date,
): Promise<boolean> {
  const { rows } = await sql<{ missing: boolean }>`
    select count(*) > 0 and sum(greatest(c.capacity - (${used(now)}), 0)) <= (
      select count(*) from pending_agent_purposes p
      join pending_agent_purposes q on q.started_at is null and (q.held_for is null or q.held_for = 'capacity')
        and (q.created_at, q.project_id, q.agent_id) < (p.created_at, p.project_id, p.agent_id)
      where p.project_id = ${row.projectId} and p.agent_id = ${row.agentId} and p.purpose = 'chat') as missing
    from coordinators c where c.last_seen_at >= ${aliveSince(now)}`.execute(db);
  return rows[0]?.missing ?? false;
}

/** When a row left the queue, those behind it moved up. Call it after the row has changed. */
export async function leaveQueue(tx: Tx, left: Pick<PurposeRecord, 'heldFor'>): Promise<void> {
  if (left.heldFor !== 'capacity') return;
  const behind = await new WakeUpQueries(tx.db).queue(QUEUE_TOLD);
  await appendFacts(
    tx,
    behind.map(({ projectId, agentId }) => ({ kind: 'session', projectId, ref: { agentId } }) as const),
  );
}

/**
 * Ends as many idle warm sessions as rows wait for a place beyond those that come free anyway; the one that has been
 * idle longest first, never one that somebody looks at or that has anything to do. Counts them.
 *
 * `asked`: ids of those that were asked; who cannot leave must not keep the others from being asked. Emptied when all
 * were, or no room is wanted.
 */
export async function makeRoom(
  deps: Pick<ServiceDeps, 'database' | 'clock'>,
  attempt: Attempt,
  asked: string[] = [],
): Promise<number> {
  let count = 0;
  for (let times = 0; times < MOST_EVICTIONS; times += 1) {
    const found = await findIdleLongest(deps.database.db, deps.clock.now(), asked);
    if (!found) {
      asked.length = 0;
      break;
    }
    asked.push(found.id);
    if (await attempt(found.id, () => evict(deps, found))) count += 1;
  }
  return count;
}

interface Candidate {
  readonly id: string;
  readonly projectId: string;
  readonly agentId: string;
}

async function findIdleLongest(
  db: Queryable,
  now: Date,
  asked: readonly string[],
): Promise<Candidate | undefined> {
  if (!(await isRoomWanted(db, now))) return undefined;
  const { rows } = await sql<Candidate>`
    select s.id, s.project_id, s.agent_id
    from agent_runs r
    join coordinators c on c.id = r.coordinator_id and c.last_seen_at >= ${aliveSince(now)}
    join agent_sessions s on s.run_id = r.id and s.state = 'active' and s.purpose = 'chat'
    cross join lateral (select ${WORK_SQL} as work) w
    where r.state <> 'exited' and r.stop_requested_at is null and s.id <> all(${asked}::text[])
      and not (w.work ->> 'unread')::boolean and not (w.work ->> 'held')::boolean
      and not (w.work ->> 'openQuestion')::boolean and not (w.work ->> 'liveConversation')::boolean
      and not exists (select from session_viewers v where v.project_id = s.project_id and v.agent_id = s.agent_id
        and v.lease_until > ${now} and (v.leaving_at is null or v.leaving_at > ${now}))
    order by s.last_activity_at, s.id limit 1`.execute(db);
  return rows[0];
}

/** More rows wait than places are free or come free: runs that are told to stop, or whose session is over. */
async function isRoomWanted(db: Queryable, now: Date): Promise<boolean> {
  const { rows } = await sql<{ wanted: boolean }>`
    with queue as (select count(*) as waiting from pending_agent_purposes where held_for = 'capacity')
    select waiting > 0 and waiting > (
      select coalesce(sum(greatest(c.capacity - (${used(now)}), 0) + (
        select count(*) from agent_runs r where r.coordinator_id = c.id and r.state <> 'exited'
          and (r.stop_requested_at is not null or exists (select from agent_sessions s where s.run_id = r.id
            and s.state <> 'active')))), 0)
      from coordinators c where c.last_seen_at >= ${aliveSince(now)}) as wanted
    from queue`.execute(db);
  return rows[0]?.wanted ?? false;
}

async function evict(deps: Pick<ServiceDeps, 'database' | 'clock'>, found: Candidate): Promise<boolean> {
  return deps.database.transaction(async (tx) => {
    const sessions = new SessionQueries(tx.db);
    await sessions.lockPair(found.projectId, found.agentId);
    // One at a time: two that ask at once do not both make somebody leave for the same place.
    await tx.db.selectFrom('coordinators').select('id').orderBy('id').forUpdate().execute();
    const session = await sessions.lockById(found.id);
    const now = await tx.now();
    if (!session || !(await isRoomWanted(tx.db, now))) return false;
    const work = await sessions.work(found.id);
    const viewersLeft = await new ViewerQueries(tx.db).count(found, now);
    return (await applySessionCommand(tx, session, { type: 'evict', viewersLeft, work }, now)) !== null;
  });
}

function aliveSince(now: Date): Date {
  return new Date(now.getTime() - COORDINATOR_SILENT_MS);
}
