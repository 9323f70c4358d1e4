import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';
import { aliveSince, used } from './place-queries.ts';
import { isStartable } from './startable-queries.ts';

/** For whom a session that is idle has to make room. */
export interface RoomWanted {
  /** For a row whose agent must live in a container, at a Coordinator that has them. */
  readonly inContainers: boolean;
  /** For any other, wherever. */
  readonly anywhere: boolean;
}

/**
 * More rows that could start now wait than places are free or become free: runs that are told to stop, or
 * whose session is over. Of a place with containers an agent that must live in one is thought first. While no Coordinator
 * that lives has containers, such a row is as any other (mayTake).
 */
export async function roomWanted(db: Queryable, now: Date): Promise<RoomWanted> {
  // The number of places limits how many rows are checked, however many wait.
  const queued = (isForContainers: boolean) => sql`
    select from pending_agent_purposes p join agents a on a.id = p.agent_id, room
    where p.held_for = 'capacity' and ${isStartable(now)}
      and (room.has_containers and a.executor = 'docker') = ${isForContainers}`;
  const { rows } = await sql<RoomWanted>`
    with place as (
      select c.executor <> 'process' as is_container, greatest(c.capacity - (${used(now)}), 0) + (
        select count(*) from agent_runs r where r.coordinator_id = c.id and r.state <> 'exited'
          and (r.stop_requested_at is not null or exists (select from agent_sessions s where s.run_id = r.id
            and s.state <> 'active'))) as free
      from coordinators c where c.last_seen_at >= ${aliveSince(now)}
    ), room as (
      select coalesce(sum(free), 0)::bigint as places, coalesce(bool_or(is_container), false) as has_containers,
        coalesce(sum(free) filter (where is_container), 0)::bigint as containers
      from place
    ), waiting as (
      select (select count(*) from (${queued(true)} limit (select containers + 1 from room)) own) as for_containers,
        (select count(*) from (${queued(false)} limit (select places + 1 from room)) others) as for_any
    )
    select for_containers > containers as in_containers,
      for_any + least(for_containers, containers) > places as anywhere
    from room, waiting`.execute(db);
  return rows[0] ?? { inContainers: false, anywhere: false };
}
