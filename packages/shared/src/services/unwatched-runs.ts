import { sql } from 'kysely';
import type { ServiceDeps } from './deps.ts';
import { couldHear } from './listening.ts';
import { noteRunExit } from './run-exit.ts';
import { nowIn } from './session-lifecycle.ts';

/** Since the start, or since its session ended: a process may need as long to leave and be reported. */
const UNWATCHED_MS = 60_000;

/**
 * A start that was taken without naming a Coordinator, or by one that never beats, is nobody's to lose: when neither a
 * session nor a wake-up stands for the run any more and its end was not reported, it is given up here.
 */
export async function giveUpUnwatched(deps: ServiceDeps): Promise<number> {
  const now = await nowIn(deps.database, deps.clock);
  const since = new Date(now.getTime() - UNWATCHED_MS);
  const { rows } = await sql<{ id: string }>`
    select r.id from agent_runs r
    where r.state <> 'exited' and r.started_at <= ${since}
      and not exists (select from coordinators c where c.id = r.coordinator_id)
      and not exists (select from pending_agent_purposes p where p.run_id = r.id)
      and not exists (select from agent_sessions s where s.run_id = r.id
        and (s.state <> 'ended' or s.ended_at > ${since}))
    limit 200`.execute(deps.database.db);
  // Its end may have been reported to nobody.
  if (rows.length === 0 || !(await couldHear(deps.database.db, now, UNWATCHED_MS))) return 0;
  for (const { id } of rows) await noteRunExit(deps, { runId: id, exitCode: null }, 'lost');
  return rows.length;
}
