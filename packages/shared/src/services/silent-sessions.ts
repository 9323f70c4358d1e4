import { sql } from 'kysely';
import { SessionRepository } from '../db/repositories/session-repository.ts';
import { UNREAD_SQL, WAITING_SINCE_SQL } from '../db/repositories/session-work.ts';
import type { Silence } from '../domain/session/session-machine.ts';
import type { ServiceDeps } from './deps.ts';
import { couldHear } from './listening.ts';
import { requestRunStop } from './run-stop.ts';
import { applySessionCommand, nowIn } from './session-lifecycle.ts';

/** When a session was last seen is written with this delay at most (mcp-server, touch-batch.ts). */
const SEEN_DELAY_MS = 5_000;
const AT_ONCE = 200;

interface Candidate {
  readonly id: string;
  readonly projectId: string;
  readonly agentId: string;
}

/**
 * Ends sessions that have died without a word while a message waits for them (contract §5 "Silence", trap 23), and
 * their processes; the message is given to the next session. Returns how many.
 */
export async function endSilentSessions(deps: ServiceDeps): Promise<number> {
  const timeoutMs = await silenceMs(deps);
  const silentSince = new Date(deps.clock.now().getTime() - timeoutMs);
  const { rows } = await sql<Candidate>`
    select s.id, s.project_id, s.agent_id from agent_sessions s
    where s.state = 'active' and s.last_seen_at <= ${silentSince} and ${sql.raw(UNREAD_SQL)}
      and not exists (select from chat_messages m where m.delivered_session_id = s.id and m.state = 'delivered')
    order by s.last_seen_at limit ${AT_ONCE}`.execute(deps.database.db);
  let count = 0;
  for (const row of rows) if (await endSilent(deps, row, timeoutMs)) count += 1;
  return count;
}

async function endSilent(deps: ServiceDeps, found: Candidate, timeoutMs: number): Promise<boolean> {
  return deps.database.transaction(async (tx) => {
    const sessions = new SessionRepository(tx.db);
    await sessions.lockPair(found.projectId, found.agentId);
    const session = await sessions.lockById(found.id);
    if (!session) return false;
    const now = await nowIn(tx, deps.clock);
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

/**
 * Stops processes that stayed after their session was over, when nothing was heard of them for the idle time: one that
 * hangs after its logout would keep its place for ever. Returns how many.
 */
export async function stopAbandonedRuns(deps: ServiceDeps): Promise<number> {
  const { db } = deps.database;
  const timeoutMs = await silenceMs(deps);
  const now = deps.clock.now();
  const silentSince = new Date(now.getTime() - timeoutMs);
  const { rows } = await sql<{ id: string }>`
    select r.id from agent_runs r
    where r.state = 'running' and r.stop_requested_at is null
      and exists (select from agent_sessions s where s.run_id = r.id)
      and not exists (select from agent_sessions s where s.run_id = r.id
        and (s.state <> 'ended' or s.last_seen_at > ${silentSince} or s.ended_at > ${silentSince}))
    order by r.started_at limit ${AT_ONCE}`.execute(db);
  if (rows.length === 0 || !(await couldHear(db, now, timeoutMs))) return 0;
  for (const { id } of rows)
    await deps.database.transaction(async (tx) =>
      requestRunStop(tx, id, 'session_timeout', await nowIn(tx, deps.clock)),
    );
  return rows.length;
}

async function silenceMs(deps: ServiceDeps): Promise<number> {
  return (await deps.settings.current()).sessionIdleTimeoutSeconds * 1_000 + SEEN_DELAY_MS;
}
