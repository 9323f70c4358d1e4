import { CompiledQuery, type RawBuilder, sql } from 'kysely';
import type { Usage, UsageSum } from '../../contract/usage.ts';
import type { Queryable } from '../../platform/db/database.ts';
import type { MembershipKey } from '../rules/work-key.ts';
import type { UsageRange } from './rules/usage-range.ts';

/** One answer, as it is counted. */
export interface CountedUsage {
  readonly usage: Usage;
  readonly model: string | null;
  /** The day in AIZUCHI_TIMEZONE, and when it ends. */
  readonly day: string;
  readonly endsAt: Date;
}

/** The values of the sums of one answer, for a statement that adds them. */
const SUMS = ['messages', 'input_tokens', 'output_tokens', 'cache_read_tokens', 'duration_ms'] as const;

const addedTo = (table: string) =>
  `${SUMS.map((sum) => `${sum} = ${table}.${sum} + excluded.${sum}`).join(', ')},
    cost_usd = case when excluded.cost_usd is null then ${table}.cost_usd
      else coalesce(${table}.cost_usd, 0) + excluded.cost_usd end`;

/**
 * Two parts of a `with` that add one answer to the sums of its day and of its session, for each row of `from`. `usage`
 * is the SQL of its Usage as jsonb, `messages` that of 1, or of 0 for an answer without content.
 */
export const countUsageSql = (of: {
  from: string;
  usage: string;
  messages: string;
  model: string;
  day: string;
  endsAt: string;
  projectId: string;
  agentId: string;
  sessionId: string;
}): string => {
  const values = `${of.messages}, (${of.usage} ->> 'inputTokens')::bigint, (${of.usage} ->> 'outputTokens')::bigint,
      coalesce((${of.usage} ->> 'cacheReadTokens')::bigint, 0), (${of.usage} ->> 'durationMs')::bigint,
      (${of.usage} ->> 'costUsd')::numeric`;
  const columns = `${SUMS.join(', ')}, cost_usd`;
  return `counted_day as (
    insert into usage_days as d (project_id, day, agent_id, model, ends_at, ${columns})
    select ${of.projectId}, ${of.day}, ${of.agentId}, coalesce(${of.model}, ''), ${of.endsAt}, ${values}
    from ${of.from} where ${of.usage} is not null
    on conflict (project_id, day, agent_id, model) do update set ends_at = excluded.ends_at, ${addedTo('d')}
  ), counted_session as (
    insert into session_usage as u (session_id, ${columns})
    select ${of.sessionId}, ${values} from ${of.from} where ${of.usage} is not null
    on conflict (session_id) do update set ${addedTo('u')}
  )`;
};

const COUNT = `with one as (select 1), ${countUsageSql({
  from: 'one',
  usage: '$1::jsonb',
  messages: '$2::bigint',
  model: '$3::text',
  day: '$4::date',
  endsAt: '$5::timestamptz',
  projectId: '$6::text',
  agentId: '$7::text',
  sessionId: '$8::text',
})} select 1`;

/** Adds one answer to the sums, in the transaction that stores it. */
export async function countUsage(
  db: Queryable,
  of: MembershipKey & { sessionId: string; isMessage: boolean },
  { usage, model, day, endsAt }: CountedUsage,
): Promise<void> {
  const values = [JSON.stringify(usage), of.isMessage ? 1 : 0, model, day, endsAt];
  await db.executeQuery(CompiledQuery.raw(COUNT, [...values, of.projectId, of.agentId, of.sessionId]));
}

const KEY_SQL = {
  agent: sql`u.agent_id`,
  project: sql`u.project_id`,
  day: sql`u.day::text`,
  model: sql`case u.model when '' then 'unknown' else u.model end`,
} as const;

/** Agents name their models: there may be as many as messages. */
const MAX_KEYS = { agent: null, project: null, day: null, model: 200 } as const;

type KeyedSum = UsageSum & { key: string };

/** The sums of a project, by day in their order, else the largest first. */
export function sumUsage(
  db: Queryable,
  of: UsageRange & { projectId: string; by: 'agent' | 'day' | 'model' },
): Promise<KeyedSum[]> {
  return sumWhere(db, of.by, sql`u.project_id = ${of.projectId} and ${isWithin(of)}`);
}

/** The same of an agent, in all projects or, with `seenBy`, in those of which that person is a member. */
export function sumAgentUsage(
  db: Queryable,
  of: UsageRange & { agentId: string; seenBy: string | undefined; by: 'day' | 'model' | 'project' },
): Promise<KeyedSum[]> {
  const isSeen =
    of.seenBy === undefined
      ? sql`true`
      : sql`exists (select from project_agents m join projects p on p.id = m.project_id and p.deleted_at is null
          where m.project_id = u.project_id and m.agent_id = ${of.seenBy})`;
  // The index of an agent's days is by their end, which is at least ten hours after midnight UTC of their date.
  const isRecent = sql`u.ends_at > ${of.from}::date::timestamp at time zone 'UTC'`;
  return sumWhere(
    db,
    of.by,
    sql`u.agent_id = ${of.agentId} and ${isRecent} and ${isWithin(of)} and ${isSeen}`,
  );
}

const isWithin = ({ from, to }: UsageRange) => sql`u.day between ${from}::date and ${to}::date`;

async function sumWhere(
  db: Queryable,
  by: keyof typeof KEY_SQL,
  condition: RawBuilder<unknown>,
): Promise<KeyedSum[]> {
  const order = by === 'day' ? sql`key` : sql`sum(u.input_tokens + u.output_tokens) desc, key`;
  const { rows } = await sql<Omit<UsageSum, 'costUsd'> & { key: string; costUsd: number | null }>`
    select ${KEY_SQL[by]} as key, sum(u.messages)::bigint as messages, sum(u.input_tokens)::bigint as input_tokens,
      sum(u.output_tokens)::bigint as output_tokens, sum(u.cache_read_tokens)::bigint as cache_read_tokens,
      sum(u.cost_usd)::float8 as cost_usd, sum(u.duration_ms)::bigint as duration_ms
    from usage_days u where ${condition}
    group by 1 order by ${order} limit ${MAX_KEYS[by]}::bigint`.execute(db);
  return rows.map(({ costUsd, ...row }) => ({ ...row, ...(costUsd !== null && { costUsd }) }));
}

/** What the session `s` (agent_sessions) has used, as jsonb; null: nothing was reported. */
export const SESSION_USAGE_SQL = `(select jsonb_strip_nulls(jsonb_build_object('messages', u.messages,
    'inputTokens', u.input_tokens, 'outputTokens', u.output_tokens, 'cacheReadTokens', u.cache_read_tokens,
    'costUsd', u.cost_usd, 'durationMs', u.duration_ms))
  from session_usage u where u.session_id = s.id)`;
