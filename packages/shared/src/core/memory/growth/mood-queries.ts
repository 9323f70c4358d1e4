import { sql } from 'kysely';
import type { Queryable } from '../../../platform/db/database.ts';
import type { MemoryScope } from '../memory-scope.ts';
import { partsOf } from '../scope-queries.ts';

export interface Felt {
  readonly eventId: string;
  readonly at: Date;
  readonly labels: string[];
  readonly v: number;
  readonly a: number;
  readonly d: number;
  readonly confidence: number;
}

/** After two weeks a 2^14th of it is left. */
const DAYS = 14;
const MOST = 200;

/** The oldest first. */
export async function feltLately(
  db: Queryable,
  { agentId, projectId }: { readonly agentId: string; readonly projectId: string | null },
): Promise<Felt[]> {
  const scope =
    projectId === null ? sql`project_id is null` : sql`(project_id is null or project_id = ${projectId})`;
  const { rows } = await sql<Felt>`
    select event_id, created_at as at, labels, v, a, d, confidence from (
      select * from memory_event_affects where agent_id = ${agentId} and ${scope}
      order by created_at desc, id limit ${MOST}) as felt
    where created_at > (select max(created_at) from memory_event_affects where agent_id = ${agentId} and ${scope})
      - ${DAYS} * interval '1 day'
    order by created_at, id`.execute(db);
  return rows;
}

export interface FeltMoment extends Felt {
  readonly bodyText: string;
}

/** What was felt last of what the scope shows, the oldest first. */
export async function listMoments(db: Queryable, scope: MemoryScope): Promise<FeltMoment[]> {
  const parts = partsOf(scope).map(
    (part) => sql`(select event_id, created_at as at, body_text, labels, v, a, d, confidence, id
      from memory_event_affects where agent_id = ${scope.agentId} and ${part}
      order by created_at desc, id limit ${MOST})`,
  );
  const { rows } = await sql<FeltMoment & { id: string }>`
    select * from (${sql.join(parts, sql` union all `)}) as felt order by at desc, id limit ${MOST}`.execute(
    db,
  );
  return rows.map(({ id: _id, ...felt }) => felt).toReversed();
}
