import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';
import { LOOK_TIME_SQL, settingSql, whilePastSql } from '../sweep-step.ts';
import { TERMINATING_AFTER_ACKNOWLEDGED_MS, TERMINATING_IN_ALL_MS } from './rules/session-machine.ts';
import { WORK_SQL } from './session-queries.ts';
import { HELD_SQL, NOT_IDLE_SQL, UNREAD_SQL, WAITING_SINCE_SQL } from './session-work.ts';

/*
 * Candidates of the sweeper's steps over sessions: after the position `after`, the earliest first. The lock
 * and the rule decide.
 */

/** A session whose end was acknowledged long ago, or whose run is over. */
export interface EndingSession {
  readonly id: string;
  readonly projectId: string;
  readonly agentId: string;
  readonly runId: string | null;
  readonly runOver: boolean;
  readonly since: Date;
}

export interface InactiveSession {
  readonly id: string;
  readonly lastActivityAt: Date;
}

export interface SilentSession {
  readonly id: string;
  readonly projectId: string;
  readonly agentId: string;
  readonly lastSeenAt: Date;
}

export interface AbandonedRun {
  readonly id: string;
  readonly startedAt: Date;
}

/** The facts by which the silence of a session is judged. */
export interface SilenceRow {
  readonly lastSeenAt: Date;
  readonly beatUntil: Date | null;
  readonly waitingSince: Date | null;
}

interface Page<Row> {
  readonly after: Row | null;
  readonly limit: number;
}

/**
 * Sessions whose end was acknowledged before `acknowledgedBefore`, and those not seen since `silentSince`
 * whose run is over.
 */
export async function endingSessions(
  db: Queryable,
  {
    acknowledgedBefore,
    silentSince,
    after,
    limit,
  }: Page<EndingSession> & { acknowledgedBefore: Date; silentSince: Date },
): Promise<EndingSession[]> {
  const { rows } = await sql<EndingSession>`
      select s.id, s.project_id, s.agent_id, s.run_id, coalesce(r.state = 'exited', false) as run_over,
        coalesce(s.terminating_at, s.last_seen_at) as since
      -- offset 0: one step into the key for each, and never a join that reads all runs there ever were.
      from agent_sessions s left join lateral (select state from agent_runs where id = s.run_id offset 0) r on true
      where s.state <> 'ended' and ((s.state = 'terminating' and s.terminating_at <= ${acknowledgedBefore})
        or (r.state = 'exited' and s.last_seen_at <= ${silentSince}))
        and (coalesce(s.terminating_at, s.last_seen_at), s.id) > (${after?.since ?? new Date(0)}, ${after?.id ?? ''})
      order by since, s.id limit ${limit}`.execute(db);
  return rows;
}

/** Without busy sessions: hundreds of them must not hide one that is idle. */
export async function inactiveSessions(
  db: Queryable,
  { before, after, limit }: Page<InactiveSession> & { before: Date },
): Promise<InactiveSession[]> {
  const { rows } = await sql<InactiveSession>`
      select s.id, s.last_activity_at from agent_sessions s
      where s.state = 'active' and s.last_activity_at <= ${before}
        and (s.last_activity_at, s.id) > (${after?.lastActivityAt ?? new Date(0)}, ${after?.id ?? ''})
        and not ${sql.raw(NOT_IDLE_SQL)}
      order by s.last_activity_at, s.id limit ${limit}`.execute(db);
  return rows;
}

/** Sessions not seen since then that have a waiting message, and hold none. */
export async function silentSessions(
  db: Queryable,
  { silentSince, after, limit }: Page<SilentSession> & { silentSince: Date },
): Promise<SilentSession[]> {
  const { rows } = await sql<SilentSession>`
      select s.id, s.project_id, s.agent_id, s.last_seen_at from agent_sessions s
      where s.state = 'active' and s.last_seen_at <= ${silentSince} and ${sql.raw(UNREAD_SQL)}
        and not exists (select from chat_messages m where m.delivered_session_id = s.id and m.state = 'delivered')
        and (s.last_seen_at, s.id) > (${after?.lastSeenAt ?? new Date(0)}, ${after?.id ?? ''})
      order by s.last_seen_at, s.id limit ${limit}`.execute(db);
  return rows;
}

export async function silenceOf(db: Queryable, sessionId: string): Promise<SilenceRow | undefined> {
  const { rows } = await sql<SilenceRow>`
      select s.last_seen_at, s.beat_until, ${sql.raw(WAITING_SINCE_SQL)} as waiting_since
      from agent_sessions s where s.id = ${sessionId}`.execute(db);
  return rows[0];
}

/** Running runs whose sessions are all over, since before `silentSince`. */
export async function abandonedRuns(
  db: Queryable,
  { silentSince, after, limit }: Page<AbandonedRun> & { silentSince: Date },
): Promise<AbandonedRun[]> {
  const { rows } = await sql<AbandonedRun>`
      select r.id, r.started_at from agent_runs r
      where r.state = 'running' and r.stop_requested_at is null
        and exists (select from agent_sessions s where s.run_id = r.id)
        and not exists (select from agent_sessions s where s.run_id = r.id
          and (s.state <> 'ended' or s.last_seen_at > ${silentSince} or s.ended_at > ${silentSince}))
        and (r.started_at, r.id) > (${after?.startedAt ?? new Date(0)}, ${after?.id ?? ''})
      order by r.started_at, r.id limit ${limit}`.execute(db);
  return rows;
}

/*
 * The deadlines of the same steps (sweep-step.ts).
 */

/** A session without a call for this long, and whose run is over, is over too. */
export const DEAD_RUN_SILENCE_MS = 20_000;

export const ENDING_DEADLINES = `
  select least(s.terminating_at + interval '${TERMINATING_IN_ALL_MS} ms',
    s.exit_acknowledged_at + interval '${TERMINATING_AFTER_ACKNOWLEDGED_MS} ms') as at
  from agent_sessions s where s.state = 'terminating'
  union all
  select least(s.last_seen_at + interval '${DEAD_RUN_SILENCE_MS} ms',
    s.terminating_at + interval '${TERMINATING_AFTER_ACKNOWLEDGED_MS} ms')
  from agent_sessions s
  where s.state <> 'ended' and s.run_id is not null and (select r.state = 'exited' from agent_runs r where r.id = s.run_id)`;

const IDLE_AT = `s.last_activity_at + ${settingSql('sessionIdleTimeoutSeconds')}`;

export const IDLE_DEADLINES = `
  select ${whilePastSql(IDLE_AT, `not ${NOT_IDLE_SQL}`)} as at from agent_sessions s where s.state = 'active'`;

/** The time of the last call is stored with this delay at most (mcp-server, touch-batch.ts). */
export const SEEN_DELAY_MS = 5_000;

const SILENCE = `(${settingSql('sessionIdleTimeoutSeconds')} + interval '${SEEN_DELAY_MS} ms')`;

/** When the first message has waited long enough, if the session has made no call since. */
export const SILENT_DEADLINES = `
  select case when s.last_seen_at + ${SILENCE} > ${LOOK_TIME_SQL} then s.last_seen_at
    when not ${HELD_SQL} then ${WAITING_SINCE_SQL} end + ${SILENCE} as at
  from agent_sessions s where s.state = 'active'`;

export const ABANDONED_DEADLINES = `
  select max(greatest(s.last_seen_at, s.ended_at)) + ${SILENCE} as at
  from agent_runs r join agent_sessions s on s.run_id = r.id
  where r.state = 'running' and r.stop_requested_at is null
  group by r.id having bool_and(s.state = 'ended')`;

/** A close that need not wait any longer. */
export interface WaitingClose {
  readonly id: string;
  readonly projectId: string;
  readonly agentId: string;
  readonly closeRequestedAt: Date;
}

/**
 * Memberships whose close waited for work that is done, after the position `after`: the process that should
 * have settled it died before.
 */
export async function closableWithoutWork(
  db: Queryable,
  {
    after,
    limit,
  }: {
    after: WaitingClose | null;
    limit: number;
  },
): Promise<WaitingClose[]> {
  // Runs each second and almost never finds a row: planning the whole query would cost more than everything
  // else in a sweep.
  const anyWaits = await db
    .selectFrom('agentSessions')
    .select('id')
    .where('state', '=', 'active')
    .where('closeRequestedAt', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  if (!anyWaits) return [];
  const { rows } = await sql<WaitingClose>`
    select s.id, s.project_id, s.agent_id, s.close_requested_at from agent_sessions s
    cross join lateral (select ${WORK_SQL} as work) w
    where s.state = 'active' and s.close_requested_at is not null
      and not (w.work ->> 'unread')::boolean and not (w.work ->> 'held')::boolean
      and not (w.work ->> 'openCard')::boolean and not (w.work ->> 'liveConversation')::boolean
      and not (w.work ->> 'unacknowledgedEnd')::boolean
      and (s.close_requested_at, s.id) > (${after?.closeRequestedAt ?? new Date(0)}, ${after?.id ?? ''})
    order by s.close_requested_at, s.id limit ${limit}`.execute(db);
  return rows;
}
