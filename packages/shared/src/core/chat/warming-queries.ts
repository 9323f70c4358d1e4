import { sql } from 'kysely';
import { z } from 'zod';
import type { Queryable } from '../../platform/db/database.ts';
import { PROVIDER_NAMES } from '../agents/rules/providers.ts';
import type { MembershipKey } from '../rules/work-key.ts';
import { overLimitSql } from '../usage/daily-limit-queries.ts';
import { PER_WORK_SQL } from '../wake-ups/per-work-queries.ts';
import { aliveSince, used } from '../wake-ups/place-queries.ts';
import type { WarmingView } from './rules/warming.ts';

const rowSchema = z.object({
  provider: z.enum(PROVIDER_NAMES),
  isPerWork: z.boolean(),
  isAwake: z.boolean(),
  hasFailed: z.boolean(),
  isOverLimit: z.boolean(),
  freePlaces: z.coerce.number(),
});

/** What a start on hover depends on; read without a lock, because the start itself decides again. */
export async function readWarming(
  db: Queryable,
  { projectId, agentId }: MembershipKey,
  now: Date,
): Promise<Omit<WarmingView, 'setting'> | undefined> {
  const { rows } = await sql`
    with clock as (select ${now}::timestamptz as now)
    select coalesce(a.provider, 'builtin') as provider, ${sql.raw(PER_WORK_SQL)} as is_per_work,
      exists (select from agent_sessions s where s.project_id = ${projectId} and s.agent_id = a.id
        and s.purpose = 'chat' and s.state <> 'ended')
      or exists (select from pending_agent_purposes p where p.project_id = ${projectId} and p.agent_id = a.id
        and p.purpose = 'chat') as is_awake,
      coalesce((select r.exit_cause in ('crashed', 'could_not_start', 'stalled') from agent_runs r
        where r.project_id = ${projectId} and r.agent_id = a.id
        order by r.started_at desc, r.id desc limit 1), false) as has_failed,
      (a.daily_token_limit is not null
        and ${sql.raw(overLimitSql('a.id', '(select now from clock)'))}) as is_over_limit,
      (select coalesce(sum(greatest(c.capacity - (${used(now)}), 0)), 0) from coordinators c
        where c.last_seen_at >= ${aliveSince(now)})
      - (select count(*) from pending_agent_purposes where started_at is null) as free_places
    from agents a where a.id = ${agentId}`.execute(db);
  return rows[0] === undefined ? undefined : rowSchema.parse(rows[0]);
}
