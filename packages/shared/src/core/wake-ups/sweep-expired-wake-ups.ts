import { nameOfWork } from '../rules/work-key.ts';
import { LOOK_TIME_SQL, rowStep, settingSql } from '../sweep-step.ts';
import { overLimitSql } from '../usage/daily-limit-queries.ts';
import { expireWakeUp } from './wake-up-expiry.ts';
import { type DueWakeUp, heldWakeUps, wakeUpsPastTtl } from './wake-up-list-queries.ts';

/** Wake-ups whose TTL is over. */
export const expiredWakeUps = rowStep<DueWakeUp>({
  deadlines: `
    select coalesce(started_at, case when held_since is null then created_at + held_ms * interval '1 ms' end)
      + ${settingSql('pendingPurposeTtlSeconds')} as at
    from pending_agent_purposes`,
  candidates: async ({ deps }, after, limit) => {
    const ttlMs = (await deps.settings.current()).pendingPurposeTtlSeconds * 1_000;
    return wakeUpsPastTtl(deps.database.db, { now: deps.clock.now(), ttlMs, after, limit });
  },
  nameOf: nameOfWork,
  act: ({ deps }, row) => expireWakeUp(deps, row),
});

/**
 * Wake-ups whose clock is stopped: checks whether it may stay so. Hundreds of them do not delay those that
 * are due.
 */
export const heldWakeUpsStep = rowStep<DueWakeUp>({
  // A limit may hold a task for hours: it is looked at when the limit holds it no more.
  deadlines: `select ${LOOK_TIME_SQL} as at from pending_agent_purposes p
    where held_since is not null and (held_for <> 'usage_limit' or not ${overLimitSql('p.agent_id', LOOK_TIME_SQL)})`,
  candidates: ({ deps }, after, limit) => heldWakeUps(deps.database.db, { after, limit }),
  nameOf: nameOfWork,
  act: ({ deps }, row) => expireWakeUp(deps, row),
});
