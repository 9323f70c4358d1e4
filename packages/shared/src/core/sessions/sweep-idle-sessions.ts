import { rowStep, type SweepContext } from '../sweep-step.ts';
import { expireIdleSession } from './expire-idle-session.ts';
import { IDLE_DEADLINES, type InactiveSession, inactiveSessions } from './sweep-queries.ts';

/**
 * Nothing was said in either direction for the idle time, and there is no work: the session begins to end.
 */
export const idleSessions = rowStep<InactiveSession>({
  deadlines: IDLE_DEADLINES,
  candidates: async (context, after, limit) => {
    const before = new Date(context.deps.clock.now().getTime() - (await timeoutMs(context)));
    return inactiveSessions(context.deps.database.db, { before, after, limit });
  },
  nameOf: ({ id }) => id,
  act: async (context, { id }) => expireIdleSession(context.deps, id, await timeoutMs(context)),
});

async function timeoutMs({ deps }: SweepContext): Promise<number> {
  return (await deps.settings.current()).sessionIdleTimeoutSeconds * 1_000;
}
