import { sql } from 'kysely';
import { type Clock, systemClock } from '../../platform/clock.ts';
import type { Database, Queryable } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/logger.ts';

/*
 * Whoever takes silence for an end must have been able to hear. Beats arrive at an mcp-server and are kept in the
 * database: while neither of them was there (stopped, restarting, a laptop asleep), silence is our own outage. Any
 * process may ask, also one that was awake itself all the time.
 */

const MARK_EVERY_MS = 2_000;
/** Beyond it nobody vouches for the time in between; also how long a mark stands for "still listening". */
const GAP_MS = 10_000;

export interface ListeningDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Of this process: one that was started anew has heard nothing yet. */
  readonly instanceId: string;
}

/** Says as long as it runs that this process takes beats. Belongs to the process that they arrive at. */
export class ListeningMark {
  readonly #deps: ListeningDeps;
  #timer: NodeJS.Timeout | undefined;
  #marking: Promise<void> = Promise.resolve();

  constructor(deps: ListeningDeps) {
    this.#deps = deps;
  }

  start(): void {
    const loop = () => {
      this.#marking = this.mark()
        .catch((error: unknown) => this.#deps.logger.warn({ err: error }, 'listening mark not written'))
        .then(() => {
          if (this.#timer !== undefined) this.#timer = setTimeout(loop, MARK_EVERY_MS);
        });
    };
    this.#timer = setTimeout(loop, 0);
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#marking;
  }

  /** One statement; by the database's clock, so that a pause of this process or of Postgres shows as a gap. */
  async mark(): Promise<void> {
    const { database, clock, instanceId } = this.#deps;
    const given = clock === systemClock ? null : clock.now();
    await sql`
      with moment as materialized (select coalesce(${given}::timestamptz, clock_timestamp()) as now),
        gone as (delete from listening_marks using moment
          where id <> ${instanceId} and seen_at < now - interval '1 hour')
      insert into listening_marks (id, since, seen_at) select ${instanceId}, now, now from moment
      on conflict (id) do update set seen_at = excluded.seen_at,
        since = case when listening_marks.seen_at < excluded.seen_at - ${GAP_MS} * interval '1 ms'
          then excluded.since else least(listening_marks.since, excluded.since) end`.execute(database.db);
  }
}

/** Whether one mcp-server has been listening for all of the last `ms` milliseconds, and still does. */
export async function couldHear(db: Queryable, now: Date, ms: number): Promise<boolean> {
  const ear = await db
    .selectFrom('listeningMarks')
    .select('id')
    .where('seenAt', '>=', new Date(now.getTime() - GAP_MS))
    .where('since', '<=', new Date(now.getTime() - ms))
    .limit(1)
    .executeTakeFirst();
  return ear !== undefined;
}
