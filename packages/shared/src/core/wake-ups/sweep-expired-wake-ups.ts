import { LOOK_TIME_SQL, rowStep, settingSql } from '../sweep-step.ts';
import { expirePurpose } from './wake-up-expiry.ts';
import { type DuePurpose, WakeUpQueries } from './wake-up-queries.ts';

const nameOf = ({ projectId, agentId }: DuePurpose) => `${projectId}/${agentId}`;

/** Wake-ups that nobody answered in time. */
export const expiredPurposes = rowStep<DuePurpose>({
  deadlines: `
    select coalesce(started_at, case when held_since is null then created_at + held_ms * interval '1 ms' end)
      + ${settingSql('pendingPurposeTtlSeconds')} as at
    from pending_agent_purposes where purpose = 'chat'`,
  candidates: async ({ deps }, after, limit) => {
    const ttlMs = (await deps.settings.current()).pendingPurposeTtlSeconds * 1_000;
    return new WakeUpQueries(deps.database.db).pastTtl({ now: deps.clock.now(), ttlMs, after, limit });
  },
  nameOf,
  act: ({ deps }, row) => expirePurpose(deps, row),
});

/** Wake-ups whose clock rests: whether it still may. Hundreds that do stay apart from those that are due. */
export const heldPurposes = rowStep<DuePurpose>({
  deadlines: `select ${LOOK_TIME_SQL} as at from pending_agent_purposes
    where purpose = 'chat' and held_since is not null`,
  candidates: ({ deps }, after, limit) => new WakeUpQueries(deps.database.db).held({ after, limit }),
  nameOf,
  act: ({ deps }, row) => expirePurpose(deps, row),
});
