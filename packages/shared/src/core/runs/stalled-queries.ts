import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';
import { OWN_RUNNER_PROVIDERS } from '../agents/rules/providers.ts';
import { ASKS_PERSON_SQL, HELD_OR_TASK_SQL, TASK_UNTOLD_SQL } from '../sessions/session-work.ts';
import { settingOrNeverSql, whilePastSql } from '../sweep-step.ts';

/** A session whose turn exceeds the limit, or whose runner is silent. */
export interface StalledSession {
  readonly id: string;
  readonly projectId: string;
  readonly agentId: string;
  readonly runId: string | null;
  readonly lastActivityAt: Date;
}

/** The times from which a session counts as stalled. */
export interface StalledSince {
  /** Turns that began before this are too long; null: turns have no limit. */
  readonly turnsBefore: Date | null;
  /** Our own runners not seen since this are silent; null: their heartbeats could not have been received. */
  readonly silentSince: Date | null;
}

/** The longest inactive first, after the position `after`. */
export async function stalledSessions(
  db: Queryable,
  of: StalledSince & { after: StalledSession | null; limit: number },
): Promise<StalledSession[]> {
  const { rows } = await sql<StalledSession>`
    select s.id, s.project_id, s.agent_id, s.run_id, s.last_activity_at
    from agent_sessions s
    where ${stalled(of)}
      and (s.last_activity_at, s.id) > (${of.after?.lastActivityAt ?? new Date(0)}, ${of.after?.id ?? ''})
    order by s.last_activity_at, s.id limit ${of.limit}`.execute(db);
  return rows;
}

/** Locks the session if it is still stalled. */
export async function lockIfStalled(db: Queryable, sessionId: string, since: StalledSince): Promise<boolean> {
  const { rows } = await sql`
    select from agent_sessions s
    where s.id = ${sessionId} and ${stalled(since)} for update of s`.execute(db);
  return rows.length > 0;
}

/** Our own runner sends a heartbeat every ten seconds, and holds no call longer than 25 s. */
export const RUNNER_SILENCE_MS = 45_000;

/** `r` is a live run whose program sends heartbeats. */
const IS_OF_OWN_RUNNER = `r.state <> 'exited' and r.provider in (${OWN_RUNNER_PROVIDERS.map((name) => `'${name}'`).join(', ')})`;

/**
 * Since when `s` is in its turn. One that waits until another agent has done its work in the folder of the project has not
 * begun with its task: it is in none as long as it asks.
 */
const TURN_SINCE_SQL = `greatest(s.last_activity_at,
  case when ${TASK_UNTOLD_SQL} and s.folder_wait_for is not null then s.last_seen_at end)`;

/** When each session counts as stalled (sweep-step.ts). */
export const STALLED_DEADLINES = `
  select ${whilePastSql(`${TURN_SINCE_SQL} + ${settingOrNeverSql('turnTimeoutSeconds')}`, HELD_OR_TASK_SQL)} as at
  from agent_sessions s where s.state = 'active'
  union all
  select s.last_seen_at + interval '${RUNNER_SILENCE_MS} ms'
  from agent_runs r join agent_sessions s on s.run_id = r.id and s.state = 'active' where ${IS_OF_OWN_RUNNER}`;

/** `s` is a session. */
const stalled = ({ turnsBefore, silentSince }: StalledSince) => sql`s.state = 'active' and (
  (s.last_activity_at <= ${turnsBefore}::timestamptz and ${sql.raw(HELD_OR_TASK_SQL)}
    and ${sql.raw(TURN_SINCE_SQL)} <= ${turnsBefore}::timestamptz and not ${sql.raw(ASKS_PERSON_SQL)})
  or (s.last_seen_at <= ${silentSince}::timestamptz
    -- One step into the key for each, and never a join that reads all runs there ever were.
    and (select ${sql.raw(IS_OF_OWN_RUNNER)} from agent_runs r where r.id = s.run_id)))`;
