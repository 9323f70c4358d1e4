import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';
import { aliveSince, used } from './place-queries.ts';
import { isStartable } from './startable-queries.ts';

/** For whom a session that is idle has to make room. */
export interface RoomWanted {
  /** For a row whose run must be kept to an egress list, at a Coordinator that does so. */
  readonly keepingEgress: boolean;
  /** For one whose agent must live in a container, at a Coordinator that has them. */
  readonly inContainers: boolean;
  /** For any other, wherever. */
  readonly anywhere: boolean;
}

/**
 * More rows that could start now wait than places are free or become free: runs that are told to stop, or
 * whose session is over. Who keeps egress has containers: of such a place a row that needs it is thought first, then one that
 * needs a container. While no Coordinator that lives has what a row needs, it is as any other (mayTake).
 */
export async function roomWanted(db: Queryable, now: Date): Promise<RoomWanted> {
  const kept = sql`(room.has_keepers and j.egress is not null)`;
  const contained = sql`(not ${kept} and room.has_containers and j.egress is null and a.executor = 'docker')`;
  // The number of places limits how many rows are checked, however many wait.
  const queued = (which: typeof kept) => sql`
    select from pending_agent_purposes p join agents a on a.id = p.agent_id join projects j on j.id = p.project_id, room
    where p.held_for = 'capacity' and ${isStartable(now)} and ${which}`;
  const { rows } = await sql<RoomWanted>`
    with place as (
      select c.executor <> 'process' as is_container, c.keeps_egress, greatest(c.capacity - (${used(now)}), 0) + (
        select count(*) from agent_runs r where r.coordinator_id = c.id and r.state <> 'exited'
          and (r.stop_requested_at is not null or exists (select from agent_sessions s where s.run_id = r.id
            and s.state <> 'active'))) as free
      from coordinators c where c.last_seen_at >= ${aliveSince(now)}
    ), room as (
      select coalesce(sum(free), 0)::bigint as places, coalesce(bool_or(is_container), false) as has_containers,
        coalesce(sum(free) filter (where is_container), 0)::bigint as containers,
        coalesce(bool_or(keeps_egress), false) as has_keepers,
        coalesce(sum(free) filter (where keeps_egress), 0)::bigint as keepers
      from place
    ), waiting as (
      select (select count(*) from (${queued(kept)} limit (select keepers + 1 from room)) own) as for_keepers,
        (select count(*) from (${queued(contained)} limit (select containers + 1 from room)) own) as for_containers,
        (select count(*) from (${queued(sql`not ${kept} and not ${contained}`)}
          limit (select places + 1 from room)) others) as for_any
    ), taken as (
      select least(for_keepers, keepers) as by_kept,
        least(for_containers + least(for_keepers, keepers), containers) as by_contained
      from room, waiting
    )
    select for_keepers > keepers as keeping_egress, for_containers + by_kept > containers as in_containers,
      for_any + by_contained > places as anywhere
    from room, waiting, taken`.execute(db);
  return rows[0] ?? { keepingEgress: false, inContainers: false, anywhere: false };
}
