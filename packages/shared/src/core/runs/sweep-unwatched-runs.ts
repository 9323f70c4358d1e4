import { sql } from 'kysely';
import { couldHear } from '../sessions/listening-mark.ts';
import { rowStep } from '../sweep-step.ts';
import { noteRunExit } from './run-exit.ts';

/** Since the start, or since its session ended: a process may need as long to leave and be reported. */
const UNWATCHED_MS = 60_000;

interface Candidate {
  readonly id: string;
  readonly startedAt: Date;
}

/**
 * A start that was taken without naming a Coordinator, or by one that never beats, is nobody's to lose: when neither a
 * session nor a wake-up stands for the run any more and its end was not reported, it is given up here.
 */
export const unwatchedRuns = rowStep<Candidate>({
  candidates: async ({ deps }, after, limit) => {
    const now = await deps.database.now();
    const since = new Date(now.getTime() - UNWATCHED_MS);
    const { rows } = await sql<Candidate>`
      select r.id, r.started_at from agent_runs r
      where ${unwatched(since)}
        and (r.started_at, r.id) > (${after?.startedAt ?? new Date(0)}, ${after?.id ?? ''})
      order by r.started_at, r.id limit ${limit}`.execute(deps.database.db);
    // Its end may have been reported to nobody.
    return rows.length > 0 && (await couldHear(deps.database.db, now, UNWATCHED_MS)) ? rows : [];
  },
  nameOf: ({ id }) => id,
  act: async ({ deps }, { id }) => {
    await noteRunExit(deps, { runId: id, exitCode: null }, 'lost', async (tx) => {
      const since = new Date((await tx.now()).getTime() - UNWATCHED_MS);
      // A Coordinator may have listed it meanwhile, which makes it its own.
      const { rows } = await sql`select from agent_runs r where r.id = ${id} and ${unwatched(since)}`.execute(
        tx.db,
      );
      return rows.length > 0;
    });
    return true;
  },
});

/** `r` is a run that nobody would report. */
const unwatched = (since: Date) => sql`r.state <> 'exited' and r.started_at <= ${since}
  and not exists (select from coordinators c where c.id = r.coordinator_id)
  and not exists (select from pending_agent_purposes p where p.run_id = r.id)
  and not exists (select from agent_sessions s where s.run_id = r.id
    and (s.state <> 'ended' or s.ended_at > ${since}))`;
