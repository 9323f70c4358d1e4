import { sql } from 'kysely';
import { requestRunStop } from '../runs/run-stop.ts';
import { rowStep } from '../sweep-step.ts';
import { applySessionCommand } from './session-lifecycle.ts';
import { SessionQueries } from './session-queries.ts';

/** A session of a run that has not called for this long, and whose run is over, is over too. */
const DEAD_RUN_SILENCE_MS = 20_000;
const TOLD_MS = 15_000;

interface Candidate {
  readonly id: string;
  readonly projectId: string;
  readonly agentId: string;
  readonly runId: string | null;
  readonly runOver: boolean;
  readonly since: Date;
}

/** Sessions that were told long enough ago, or whose run is over and that fell silent. */
export const endingSessions = rowStep<Candidate>({
  candidates: async ({ deps }, after, limit) => {
    const now = deps.clock.now().getTime();
    const { rows } = await sql<Candidate>`
      select s.id, s.project_id, s.agent_id, s.run_id, coalesce(r.state = 'exited', false) as run_over,
        coalesce(s.terminating_at, s.last_seen_at) as since
      from agent_sessions s left join agent_runs r on r.id = s.run_id
      where ((s.state = 'terminating' and s.terminating_at <= ${new Date(now - TOLD_MS)})
        or (s.state <> 'ended' and r.state = 'exited' and s.last_seen_at <= ${new Date(now - DEAD_RUN_SILENCE_MS)}))
        and (coalesce(s.terminating_at, s.last_seen_at), s.id) > (${after?.since ?? new Date(0)}, ${after?.id ?? ''})
      order by since, s.id limit ${limit}`.execute(deps.database.db);
    return rows;
  },
  nameOf: ({ id }) => id,
  act: ({ deps }, found) =>
    deps.database.transaction(async (tx) => {
      const sessions = new SessionQueries(tx.db);
      await sessions.lockPair(found.projectId, found.agentId);
      const session = await sessions.lockById(found.id);
      if (!session) return false;
      const now = await tx.now();
      const type = found.runOver ? 'finish' : 'grace_over';
      if ((await applySessionCommand(tx, session, { type }, now)) === null) return false;
      // It had its time: the process is ended.
      if (found.runId !== null && !found.runOver)
        await requestRunStop(tx, found.runId, session.end?.reason ?? 'run_stopped', now);
      return true;
    }),
});
