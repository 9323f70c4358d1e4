import { sql } from 'kysely';
import type { Queryable } from '../../../platform/db/database.ts';
import type { TidyState } from '../rules/growth/duplicates.ts';
import { selectStates, toState } from '../state-list-queries.ts';

const LOOKED_AT = 5_000;
/** Of what is computed again and again so many older ones are kept. */
const MOST_REVISIONS = 50;
const REVISIONS_AT_ONCE = 5_000;

/** The last confirmed first. */
export async function openStates(db: Queryable, agentId: string): Promise<TidyState[]> {
  const rows = await selectStates(db)
    .where('agentId', '=', agentId)
    .where('validTo', 'is', null)
    .where('kind', 'in', ['fact', 'relation', 'task'])
    .orderBy('lastConfirmedAt', 'desc')
    .orderBy('id')
    .limit(LOOKED_AT)
    .execute();
  return rows.map(toState);
}

/** Summaries and the mood are written again with each event. */
export async function pruneRevisions(db: Queryable, agentId: string): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from memory_revisions where id in (
      select id from (
        select r.id, row_number() over (partition by r.state_id order by r.id desc) as place
        from memory_states s join memory_revisions r on r.state_id = s.id
        where s.agent_id = ${agentId} and s.kind in ('summary', 'long_mood_state') and r.made_by <> 'person'
      ) as numbered where place > ${MOST_REVISIONS} limit ${REVISIONS_AT_ONCE})`.execute(db);
  return Number(numAffectedRows ?? 0);
}
