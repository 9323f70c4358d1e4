import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';

/**
 * The agent has used its tokens of today. `agent` and `now` are SQL. For an agent without a limit this is one look at
 * its row.
 */
export const overLimitSql = (agent: string, now: string): string =>
  `exists (select from agents l where l.id = ${agent} and l.daily_token_limit is not null
    and l.daily_token_limit <= (select coalesce(sum(u.input_tokens + u.output_tokens), 0) from usage_days u
      where u.agent_id = l.id and u.ends_at > ${now}))`;

/** A limit that is reached, and when the agent may go on. */
export interface ReachedLimit {
  readonly limit: number;
  readonly used: number;
  readonly endsAt: Date;
}

/** Undefined: the agent has no limit, or has not reached it. */
export async function findReachedLimit(
  db: Queryable,
  agentId: string,
  now: Date,
): Promise<ReachedLimit | undefined> {
  const { rows } = await sql<ReachedLimit>`
    select a.daily_token_limit as "limit", sum(u.input_tokens + u.output_tokens)::bigint as used,
      max(u.ends_at) as ends_at
    from agents a join usage_days u on u.agent_id = a.id and u.ends_at > ${now}
    where a.id = ${agentId} and a.daily_token_limit is not null
    group by a.id having sum(u.input_tokens + u.output_tokens) >= a.daily_token_limit`.execute(db);
  return rows[0];
}
