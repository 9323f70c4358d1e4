import { sql } from 'kysely';
import type { ModelOffer } from '../../contract/models.ts';
import type { Queryable } from '../../platform/db/database.ts';

export interface StoredOffer {
  readonly agentId: string;
  readonly provider: string;
  readonly program: string;
  readonly models: readonly ModelOffer[];
  readonly seenAt: Date;
}

/** In place of what was offered to this agent before. */
export async function saveOffer(db: Queryable, offer: StoredOffer): Promise<void> {
  const { agentId, ...values } = { ...offer, models: JSON.stringify(offer.models) };
  await db
    .insertInto('offeredModels')
    .values({ agentId, ...values })
    .onConflict((conflict) => conflict.column('agentId').doUpdateSet(values))
    .execute();
}

/** The newest offer of the provider to this program; that to the agent `agentId` is preferred. */
export function findOffer(
  db: Queryable,
  { provider, program, agentId = '' }: { provider: string; program: string; agentId?: string | undefined },
): Promise<{ models: unknown; seenAt: Date } | undefined> {
  return db
    .selectFrom('offeredModels as offered')
    .innerJoin('agents', 'agents.id', 'offered.agentId')
    .select(['offered.models', 'offered.seenAt'])
    .where('offered.provider', '=', provider)
    .where('offered.program', '=', program)
    .where('agents.deletedAt', 'is', null)
    .orderBy(sql`offered.agent_id = ${agentId}`, 'desc')
    .orderBy('offered.seenAt', 'desc')
    .orderBy('offered.agentId')
    .limit(1)
    .executeTakeFirst();
}
