import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';
import { COORDINATOR_SILENT_MS } from '../coordinators/coordinator-alive.ts';
import { WORK_SQL } from '../sessions/session-queries.ts';

/** A run that we gave up keeps its place while its host lists it: each beat renews the time. */
const GIVEN_UP_LISTED_MS = 10_000;

/** A warm session that could make room. */
export interface IdleSession {
  readonly id: string;
  readonly projectId: string;
  readonly agentId: string;
}

/** The places of a Coordinator `c` that are taken, in SQL. */
export function used(now: Date) {
  return sql<number>`(select count(*) from agent_runs r where r.coordinator_id = c.id and r.state <> 'exited')
    + (select count(*) from agent_runs r where r.coordinator_id = c.id and r.exit_cause in ('lost', 'stalled')
      and r.stop_requested_at > ${new Date(now.getTime() - GIVEN_UP_LISTED_MS)})`;
}

/** Two concurrent starts never take the same last place (I-9). */
export async function lockPlacesOf(db: Queryable, coordinatorId: string): Promise<void> {
  await db.selectFrom('coordinators').select('id').where('id', '=', coordinatorId).forUpdate().execute();
}

/** Two calls that need room at the same time do not both end a session for the same place. */
export async function lockAllPlaces(db: Queryable): Promise<void> {
  await db.selectFrom('coordinators').select('id').orderBy('id').forUpdate().execute();
}

/**
 * True for an unknown Coordinator. Without a lock it is only a hint for what to list; the start checks again.
 */
export async function hasPlace(db: Queryable, coordinatorId: string, now: Date): Promise<boolean> {
  const { rows } = await sql<{ free: boolean }>`
    select ${used(now)} < c.capacity as free from coordinators c where c.id = ${coordinatorId}`.execute(db);
  return rows[0]?.free ?? true;
}

/** Where a session that is idle can make room. */
const AT = {
  keepingEgress: sql`c.keeps_egress`,
  inContainers: sql`c.executor <> 'process'`,
  anywhere: sql`true`,
};

/** The session there that has been idle longest, without viewers and without work; not one of `except`. */
export async function findIdleLongest(
  db: Queryable,
  now: Date,
  { except, room }: { readonly except: readonly string[]; readonly room: keyof typeof AT },
): Promise<IdleSession | undefined> {
  const { rows } = await sql<IdleSession>`
    select s.id, s.project_id, s.agent_id
    from agent_runs r
    join coordinators c on c.id = r.coordinator_id and c.last_seen_at >= ${aliveSince(now)} and ${AT[room]}
    join agent_sessions s on s.run_id = r.id and s.state = 'active' and s.purpose = 'chat'
    cross join lateral (select ${WORK_SQL} as work) w
    where r.state <> 'exited' and r.stop_requested_at is null and s.id <> all(${except}::text[])
      and not (w.work ->> 'unread')::boolean and not (w.work ->> 'held')::boolean
      and not (w.work ->> 'openCard')::boolean and not (w.work ->> 'liveConversation')::boolean
      and not exists (select from session_viewers v where v.project_id = s.project_id and v.agent_id = s.agent_id
        and v.lease_until > ${now} and (v.leaving_at is null or v.leaving_at > ${now}))
    order by s.last_activity_at, s.id limit 1`.execute(db);
  return rows[0];
}

export function aliveSince(now: Date): Date {
  return new Date(now.getTime() - COORDINATOR_SILENT_MS);
}
