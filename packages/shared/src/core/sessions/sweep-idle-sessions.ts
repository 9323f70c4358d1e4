import { sql } from 'kysely';
import { rowStep, type SweepContext } from '../sweep-step.ts';
import { expireIdleSession } from './expire-idle-session.ts';
import { NOT_IDLE_SQL } from './session-work.ts';

interface Candidate {
  readonly id: string;
  readonly lastActivityAt: Date;
}

/** Nothing was said in either direction for the time set, and nothing is to be done: it begins to end. */
export const idleSessions = rowStep<Candidate>({
  candidates: async (context, after, limit) => {
    const before = new Date(context.deps.clock.now().getTime() - (await timeoutMs(context)));
    // Without the busy ones: hundreds of them must not hide one that is idle.
    const { rows } = await sql<Candidate>`
      select s.id, s.last_activity_at from agent_sessions s
      where s.state = 'active' and s.last_activity_at <= ${before}
        and (s.last_activity_at, s.id) > (${after?.lastActivityAt ?? new Date(0)}, ${after?.id ?? ''})
        and not ${sql.raw(NOT_IDLE_SQL)}
      order by s.last_activity_at, s.id limit ${limit}`.execute(context.deps.database.db);
    return rows;
  },
  nameOf: ({ id }) => id,
  act: async (context, { id }) => expireIdleSession(context.deps, id, await timeoutMs(context)),
});

async function timeoutMs({ deps }: SweepContext): Promise<number> {
  return (await deps.settings.current()).sessionIdleTimeoutSeconds * 1_000;
}
