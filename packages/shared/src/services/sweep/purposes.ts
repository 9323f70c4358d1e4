import { type DuePurpose, PurposeRepository } from '../../db/repositories/purpose-repository.ts';
import { expirePurpose } from '../purpose-expiry.ts';
import { rowStep } from './sweep-step.ts';

const nameOf = ({ projectId, agentId }: DuePurpose) => `${projectId}/${agentId}`;

/** Wake-ups that nobody answered in time. */
export const expiredPurposes = rowStep<DuePurpose>({
  candidates: async ({ deps }, after, limit) => {
    const ttlMs = (await deps.settings.current()).pendingPurposeTtlSeconds * 1_000;
    return new PurposeRepository(deps.database.db).pastTtl({ now: deps.clock.now(), ttlMs, after, limit });
  },
  nameOf,
  act: ({ deps }, row) => expirePurpose(deps, row),
});

/** Wake-ups whose clock rests: whether it still may. Hundreds that do stay apart from those that are due. */
export const heldPurposes = rowStep<DuePurpose>({
  candidates: ({ deps }, after, limit) => new PurposeRepository(deps.database.db).held({ after, limit }),
  nameOf,
  act: ({ deps }, row) => expirePurpose(deps, row),
});
