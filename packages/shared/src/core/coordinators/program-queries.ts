import { sql } from 'kysely';
import type { HostProgram } from '../../contract/programs.ts';
import type { Queryable } from '../../platform/db/database.ts';

/** Asks every Coordinator that was seen since then, unless it has looked, or was asked, after `unlessSince`. */
export async function askForPrograms(
  db: Queryable,
  { now, aliveSince, unlessSince }: { now: Date; aliveSince: Date; unlessSince: Date },
): Promise<void> {
  await sql`
    insert into host_programs as p (coordinator_id, asked_at)
    select id, ${now}::timestamptz from coordinators where last_seen_at >= ${aliveSince} order by id
    on conflict (coordinator_id) do update set asked_at = excluded.asked_at
    where greatest(p.seen_at, p.asked_at) < ${unlessSince}`.execute(db);
}

export interface ProgramsRow {
  readonly coordinatorId: string;
  readonly host: string;
  readonly askedAt: Date | null;
  readonly seenAt: Date | null;
  readonly programs: unknown;
}

/** Of the Coordinators that were seen since then. */
export async function programsOfHosts(db: Queryable, aliveSince: Date): Promise<ProgramsRow[]> {
  return db
    .selectFrom('coordinators as c')
    .leftJoin('hostPrograms as p', 'p.coordinatorId', 'c.id')
    .select(['c.id as coordinatorId', 'c.host', 'p.askedAt', 'p.seenAt', 'p.programs'])
    .where('c.lastSeenAt', '>=', aliveSince)
    .orderBy('c.host')
    .orderBy('c.id')
    .execute();
}

/** Does nothing when this Coordinator is not known any more. */
export async function savePrograms(
  db: Queryable,
  coordinatorId: string,
  programs: readonly HostProgram[],
  seenAt: Date,
): Promise<void> {
  await sql`
    insert into host_programs (coordinator_id, programs, seen_at)
    select id, ${JSON.stringify(programs)}::jsonb, ${seenAt}::timestamptz from coordinators where id = ${coordinatorId}
    on conflict (coordinator_id) do update set programs = excluded.programs, seen_at = excluded.seen_at`.execute(
    db,
  );
}
