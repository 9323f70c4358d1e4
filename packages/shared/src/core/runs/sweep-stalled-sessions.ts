import { sql } from 'kysely';
import type { Queryable, Tx } from '../../platform/db/database.ts';
import { OWN_RUNNER_PROVIDERS } from '../agents/rules/providers.ts';
import type { ServiceDeps } from '../deps.ts';
import { couldHear } from '../sessions/listening-mark.ts';
import { applySessionCommand } from '../sessions/session-lifecycle.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import { rowStep } from '../sweep-step.ts';
import { noteRunExit } from './run-exit.ts';

/** Our own runner beats every ten seconds, and holds no call longer than 25 s. */
const RUNNER_SILENCE_MS = 45_000;

interface Candidate {
  readonly id: string;
  readonly projectId: string;
  readonly agentId: string;
  readonly runId: string | null;
  readonly lastActivityAt: Date;
}

/**
 * A turn past its time, and a run of our own runner that shows no sign of life: given up as stalled, its work goes
 * back, its process is ended. A session without a run has nobody who would report its end, so this is what brings
 * back a message that died with it (trap 19).
 */
export const stalledSessions = rowStep<Candidate>({
  candidates: async ({ deps, awakeSince }, after, limit) => {
    const now = await deps.database.now();
    const couldWeHear = awakeSince <= now.getTime() - RUNNER_SILENCE_MS;
    const silentSince = couldWeHear ? await silenceSince(deps.database.db, now) : null;
    const { rows } = await sql<Candidate>`
      select s.id, s.project_id, s.agent_id, s.run_id, s.last_activity_at
      from agent_sessions s
      where ${stalled(await turnsSince(deps), silentSince)}
        and (s.last_activity_at, s.id) > (${after?.lastActivityAt ?? new Date(0)}, ${after?.id ?? ''})
      order by s.last_activity_at, s.id limit ${limit}`.execute(deps.database.db);
    return rows;
  },
  nameOf: ({ id }) => id,
  act: async ({ deps }, session) => {
    if (session.runId === null) await endTurn(deps, session);
    else {
      const since = await turnsSince(deps);
      const isStill = (tx: Tx) => isStillStalled(tx, session.id, since);
      await noteRunExit(deps, { runId: session.runId, exitCode: null }, 'stalled', isStill);
    }
    return true;
  },
});

/** `s` is a session. Null: turns have no limit; nobody could have heard its beats. */
const stalled = (turnsBefore: Date | null, silentSince: Date | null) => sql`s.state = 'active' and (
  (s.last_activity_at <= ${turnsBefore}::timestamptz and exists (
    select from chat_messages m where m.delivered_session_id = s.id and m.state = 'delivered')
    and not exists (select from user_questions q where q.session_id = s.id and q.state = 'pending'))
  or (s.last_seen_at <= ${silentSince}::timestamptz
    -- One step into the key for each, and never a join that reads all runs there ever were.
    and (select r.state <> 'exited' and r.provider = any(${OWN_RUNNER_PROVIDERS}::text[])
      from agent_runs r where r.id = s.run_id)))`;

async function silenceSince(db: Queryable, now: Date): Promise<Date | null> {
  const isSound = await couldHear(db, now, RUNNER_SILENCE_MS);
  return isSound ? new Date(now.getTime() - RUNNER_SILENCE_MS) : null;
}

/** Behind its lock: it may have beaten or answered meanwhile. */
async function isStillStalled(tx: Tx, sessionId: string, since: Date | null): Promise<boolean> {
  const silentSince = await silenceSince(tx.db, await tx.now());
  const { rows } = await sql`
    select from agent_sessions s
    where s.id = ${sessionId} and ${stalled(since, silentSince)} for update of s`.execute(tx.db);
  return rows.length > 0;
}

/** Null: turns may take as long as they like. */
async function turnsSince(deps: ServiceDeps): Promise<Date | null> {
  const turnMs = (await deps.settings.current()).turnTimeoutSeconds * 1_000;
  return turnMs === 0 ? null : new Date(deps.clock.now().getTime() - turnMs);
}

async function endTurn(deps: ServiceDeps, found: Candidate): Promise<void> {
  const since = await turnsSince(deps);
  await deps.database.transaction(async (tx) => {
    const sessions = new SessionQueries(tx.db);
    await sessions.lockPair(found.projectId, found.agentId);
    const session = await sessions.lockById(found.id);
    // It may have answered meanwhile.
    if (!session || since === null || session.lastActivityAt > since) return;
    await applySessionCommand(tx, session, { type: 'end', reason: 'run_stopped' }, await tx.now());
    await applySessionCommand(tx, session, { type: 'finish' }, await tx.now());
  });
}
