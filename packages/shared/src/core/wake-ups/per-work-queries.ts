import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';

/** The agent is of provider `command` and is started only when there is work; `a` is agents. */
export const PER_WORK_SQL = `(a.provider = 'command' and coalesce(a.command ->> 'mode', '') = 'per_work')`;

/** False when there is no such agent. */
export async function isPerWork(db: Queryable, agentId: string): Promise<boolean> {
  const { rows } = await sql<{ isPerWork: boolean }>`
    select ${sql.raw(PER_WORK_SQL)} as is_per_work from agents a where a.id = ${agentId}`.execute(db);
  return rows[0]?.isPerWork ?? false;
}
