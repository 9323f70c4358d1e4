import { sql } from 'kysely';
import type { ServiceDeps } from '../deps.ts';
import { requestRunStop } from '../runs/run-stop.ts';
import { rowStep } from '../sweep-step.ts';
import { couldHear } from './listening-mark.ts';
import type { Silence } from './rules/session-machine.ts';
import { applySessionCommand } from './session-lifecycle.ts';
import { SessionQueries } from './session-queries.ts';
import { UNREAD_SQL, WAITING_SINCE_SQL } from './session-work.ts';

/** When a session was last seen is written with this delay at most (mcp-server, touch-batch.ts). */
const SEEN_DELAY_MS = 5_000;

interface SilentSession {
  readonly id: string;
  readonly projectId: string;
  readonly agentId: string;
  readonly lastSeenAt: Date;
}

/**
 * Ends sessions that have died without a word while a message waits for them (contract §5 "Silence", trap 23), and
 * their processes; the message is given to the next session.
 */
export const silentSessions = rowStep<SilentSession>({
  candidates: async ({ deps }, after, limit) => {
    const silentSince = await quietSince(deps);
    const { rows } = await sql<SilentSession>`
      select s.id, s.project_id, s.agent_id, s.last_seen_at from agent_sessions s
      where s.state = 'active' and s.last_seen_at <= ${silentSince} and ${sql.raw(UNREAD_SQL)}
        and not exists (select from chat_messages m where m.delivered_session_id = s.id and m.state = 'delivered')
        and (s.last_seen_at, s.id) > (${after?.lastSeenAt ?? new Date(0)}, ${after?.id ?? ''})
      order by s.last_seen_at, s.id limit ${limit}`.execute(deps.database.db);
    return rows;
  },
  nameOf: ({ id }) => id,
  act: ({ deps }, session) => endSilent(deps, session),
});

interface AbandonedRun {
  readonly id: string;
  readonly startedAt: Date;
}

/**
 * Stops processes that stayed after their session was over, when nothing was heard of them for the idle time: one that
 * hangs after its logout would keep its place for ever.
 */
export const abandonedRuns = rowStep<AbandonedRun>({
  candidates: async ({ deps }, after, limit) => {
    const { db } = deps.database;
    const silentSince = await quietSince(deps);
    const { rows } = await sql<AbandonedRun>`
      select r.id, r.started_at from agent_runs r
      where r.state = 'running' and r.stop_requested_at is null
        and exists (select from agent_sessions s where s.run_id = r.id)
        and not exists (select from agent_sessions s where s.run_id = r.id
          and (s.state <> 'ended' or s.last_seen_at > ${silentSince} or s.ended_at > ${silentSince}))
        and (r.started_at, r.id) > (${after?.startedAt ?? new Date(0)}, ${after?.id ?? ''})
      order by r.started_at, r.id limit ${limit}`.execute(db);
    if (rows.length === 0) return rows;
    return (await couldHear(db, deps.clock.now(), await silenceMs(deps))) ? rows : [];
  },
  nameOf: ({ id }) => id,
  act: ({ deps }, { id }) =>
    deps.database.transaction(async (tx) => requestRunStop(tx, id, 'session_timeout', await tx.now())),
});

async function endSilent(deps: ServiceDeps, found: SilentSession): Promise<boolean> {
  const timeoutMs = await silenceMs(deps);
  return deps.database.transaction(async (tx) => {
    const sessions = new SessionQueries(tx.db);
    await sessions.lockPair(found.projectId, found.agentId);
    const session = await sessions.lockById(found.id);
    if (!session) return false;
    const now = await tx.now();
    const { rows } = await sql<{ lastSeenAt: Date; beatUntil: Date | null; waitingSince: Date | null }>`
      select s.last_seen_at, s.beat_until, ${sql.raw(WAITING_SINCE_SQL)} as waiting_since
      from agent_sessions s where s.id = ${found.id}`.execute(tx.db);
    const [row] = rows;
    if (!row) return false;
    const { lastSeenAt, beatUntil, waitingSince } = row;
    const inTurn = beatUntil !== null && beatUntil > now;
    const work = await sessions.work(session.id);
    // Whoever could not be heard was not silent (trap 27).
    const couldBeHeard = await couldHear(tx.db, now, timeoutMs);
    const silence: Silence = { couldBeHeard, timeoutMs, lastSeenAt, inTurn, waitingSince };
    if ((await applySessionCommand(tx, session, { type: 'silent', work, silence }, now)) === null)
      return false;
    if (session.runId !== null) await requestRunStop(tx, session.runId, 'session_silent', now);
    return true;
  });
}

async function quietSince(deps: ServiceDeps): Promise<Date> {
  return new Date(deps.clock.now().getTime() - (await silenceMs(deps)));
}

async function silenceMs(deps: ServiceDeps): Promise<number> {
  return (await deps.settings.current()).sessionIdleTimeoutSeconds * 1_000 + SEEN_DELAY_MS;
}
