import { sql } from 'kysely';
import { z } from 'zod';
import { MEMORY_SOURCES, STATE_KINDS } from '../../../contract/memory.ts';
import type { Queryable } from '../../../platform/db/database.ts';
import type { GrowingEvent, KnownState } from '../rules/growth/rule-growth.ts';
import { LOOKED_AT } from '../rules/growth/write-plan.ts';

const sourceSchema = z.enum(MEMORY_SOURCES);
const kindSchema = z.enum(STATE_KINDS);
const payloadSchema = z.record(z.string(), z.unknown());

/** Of a turn that runs nothing grows: it has no reply yet. */
const IS_OPEN = sql<boolean>`g.state = 'pending' and not exists (
  select from chat_turns t where t.event_id = g.event_id and t.state = 'running')`;

/** The agents of which something is to grow now; of each one look into the index. */
export async function agentsToGrow(db: Queryable, limit: number): Promise<string[]> {
  const { rows } = await sql<{ agentId: string | null }>`
    with recursive agent as (
      (select agent_id from memory_growth where state = 'pending' order by agent_id limit 1)
      union all
      select (select g.agent_id from memory_growth g where g.state = 'pending' and g.agent_id > agent.agent_id
        order by g.agent_id limit 1)
      from agent where agent.agent_id is not null
    )
    select agent.agent_id from agent
    where agent.agent_id is not null and exists (
      select from (select g.* from memory_growth g where g.agent_id = agent.agent_id and ${IS_OPEN}
        order by g.created_at, g.seq limit 1) as g
      where g.retry_at is null or g.retry_at <= clock_timestamp())
    union
    select agent_id from memory_summary_scopes
    limit ${limit}`.execute(db);
  return rows.flatMap(({ agentId }) => agentId ?? []);
}

export interface Growing {
  readonly event: GrowingEvent;
  readonly agentId: string;
  readonly projectId: string | null;
  readonly seq: number;
  readonly attempts: number;
  /** Not before; as milliseconds from now, 0: now. */
  readonly waitMs: number;
  /** As it was stored. */
  readonly plan: unknown;
  readonly madeBy: string | null;
  readonly dropped: unknown;
}

/** The oldest event of an agent of which nothing has grown. */
export async function nextGrowing(db: Queryable, agentId: string): Promise<Growing | undefined> {
  const { rows } = await sql<Omit<GrowingEvent, 'source'> & Omit<Growing, 'event'> & { source: string }>`
    select e.id, e.agent_id, e.project_id, e.seq, e.client_id, e.source, e.actor, e.created_at,
      left(e.user_text, ${LOOKED_AT}) as user_text, left(e.assistant_text, ${LOOKED_AT}) as assistant_text,
      left(e.caption, ${LOOKED_AT}) as caption, g.attempts, g.plan, g.made_by, g.dropped,
      greatest(0, coalesce(extract(epoch from g.retry_at - clock_timestamp()) * 1000, 0))::float8 as wait_ms
    from (select * from memory_growth g where g.agent_id = ${agentId} and ${IS_OPEN}
      order by g.created_at, g.seq limit 1) g join memory_events e on e.id = g.event_id`.execute(db);
  const [row] = rows;
  if (!row) return undefined;
  const { id, clientId, source, actor, createdAt, userText, assistantText, caption, ...growing } = row;
  return {
    ...growing,
    event: {
      id,
      clientId,
      actor,
      createdAt,
      userText,
      assistantText,
      caption,
      source: sourceSchema.parse(source),
    },
  };
}

/** The plan is kept until it is applied: a process that dies between does not ask the model again. */
export async function savePlan(
  db: Queryable,
  eventId: string,
  {
    plan,
    madeBy,
    dropped,
    step,
  }: { plan: object; madeBy: 'model' | 'rules'; dropped: readonly string[]; step: object },
): Promise<void> {
  await sql`update memory_growth set plan = ${JSON.stringify(plan)}::jsonb, made_by = ${madeBy},
    dropped = ${JSON.stringify(dropped)}::jsonb, steps = steps || ${JSON.stringify({ plan: step })}::jsonb
    where event_id = ${eventId} and state = 'pending'`.execute(db);
}

/** What it was made of is deleted or says something else meanwhile: it is made anew. */
export async function dropPlan(db: Queryable, eventId: string): Promise<void> {
  await sql`update memory_growth set plan = null, made_by = null, dropped = '[]'
    where event_id = ${eventId} and state = 'pending'`.execute(db);
}

interface AppliedEvent {
  readonly agentId: string;
  readonly eventId: string;
  /** Of the event. */
  readonly at: Date;
  readonly dropped: readonly string[];
  readonly step: object;
}

/** False: it was applied already, or is deleted. */
export async function markApplied(
  db: Queryable,
  { agentId, eventId, at, dropped, step }: AppliedEvent,
): Promise<boolean> {
  const { rows } = await sql`update memory_growth set state = 'applied', plan = null, retry_at = null,
      error_step = null, error_code = null, error_text = null, error_at = null,
      dropped = ${JSON.stringify(dropped)}::jsonb, steps = steps || ${JSON.stringify({ apply: step })}::jsonb,
      applied_at = clock_timestamp()
    where event_id = ${eventId} and state = 'pending' returning event_id`.execute(db);
  if (rows.length === 0) return false;
  await sql`insert into memory_growth_agents as a (agent_id, applied, last_event_at)
    values (${agentId}, 1, ${at}) on conflict (agent_id) do update set applied = a.applied + 1,
      last_event_at = greatest(a.last_event_at, excluded.last_event_at), updated_at = clock_timestamp()`.execute(
    db,
  );
  return true;
}

export interface GrowthFailure {
  readonly step: string;
  readonly code: string;
  readonly message: string;
  readonly ms: number;
}

/** The failed attempt; with `mostAttempts` of them the event is parked. Whether it is. */
export async function markFailed(
  db: Queryable,
  eventId: string,
  { step, code, message, ms }: GrowthFailure,
  { mostAttempts, retryMs }: { mostAttempts: number; retryMs: number },
): Promise<boolean> {
  const { rows } = await sql<{ state: string }>`update memory_growth set attempts = attempts + 1,
      state = case when attempts + 1 >= ${mostAttempts} then 'parked' else 'pending' end,
      retry_at = case when attempts + 1 >= ${mostAttempts} then null
        else clock_timestamp() + ${retryMs} * interval '1 millisecond' end,
      error_step = ${step}, error_code = ${code}, error_text = ${message}, error_at = clock_timestamp(),
      steps = steps || jsonb_build_object(${step}::text,
        jsonb_build_object('at', ${new Date().toISOString()}::text, 'ms', ${ms}::float8, 'error', ${code}::text))
    where event_id = ${eventId} and state = 'pending' returning state`.execute(db);
  return rows[0]?.state === 'parked';
}

/** Parked events of one agent are tried again. Returns how many. */
export async function retryParked(
  db: Queryable,
  agentId: string,
  which: { readonly eventId?: string; readonly code?: string; readonly mostAttempts?: number },
): Promise<number> {
  const { eventId, code, mostAttempts } = which;
  const { rows } = await sql`update memory_growth set state = 'pending', retry_at = null, plan = null,
      attempts = case when ${mostAttempts ?? null}::int is null then 0 else attempts end
    where agent_id = ${agentId} and state = 'parked'
      and (${eventId ?? null}::text is null or event_id = ${eventId ?? null})
      and (${code ?? null}::text is null or error_code = ${code ?? null})
      and (${mostAttempts ?? null}::int is null or attempts < ${mostAttempts ?? null})
    returning event_id`.execute(db);
  return rows.length;
}

/** The open states of exactly this project that may be about the same: by key, open tasks, and the newest. */
export async function knownStates(
  db: Queryable,
  { agentId, projectId }: { agentId: string; projectId: string | null },
  aboutKeys: readonly string[],
): Promise<KnownState[]> {
  const columns = sql.raw('id, kind, body_text, payload, about_key, last_confirmed_at');
  const open = sql`agent_id = ${agentId} and project_id is not distinct from ${projectId} and valid_to is null`;
  const { rows } = await sql<KnownState>`
    select * from (
      (select ${columns} from memory_states where ${open} and about_key = any(${aboutKeys}::text[]) limit 100)
      union
      (select ${columns} from memory_states where ${open} and kind = 'task' order by last_confirmed_at desc, id limit 50)
      union
      (select ${columns} from memory_states where ${open} and kind = 'fact' order by last_confirmed_at desc, id limit 100)
    ) as known order by last_confirmed_at desc, id`.execute(db);
  return rows.map((row) => ({
    ...row,
    kind: kindSchema.parse(row.kind),
    payload: payloadSchema.parse(row.payload),
  }));
}

/** Of each name the latest earlier event of exactly this project that names it. */
export async function lastNaming(
  db: Queryable,
  growing: Pick<Growing, 'agentId' | 'projectId' | 'event'>,
  names: readonly string[],
): Promise<Map<string, string>> {
  if (names.length === 0) return new Map();
  const { agentId, projectId, event } = growing;
  const { rows } = await sql<{ name: string; eventId: string }>`
    select name.name, found.event_id from unnest(${names}::text[]) name(name) cross join lateral (
      select n.event_id from memory_event_entities n
      where n.agent_id = ${agentId} and n.name = name.name and n.project_id is not distinct from ${projectId}
        and n.created_at <= ${event.createdAt} and n.event_id <> ${event.id}
      order by n.created_at desc, n.event_id limit 1) found`.execute(db);
  return new Map(rows.map(({ name, eventId }) => [name, eventId]));
}

/** The previous turn of its client. */
export async function previousEvent(db: Queryable, eventId: string): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    select to_event_id as id from memory_event_links where from_event_id = ${eventId} and label = 'reply_to' limit 1`.execute(
    db,
  );
  return rows[0]?.id ?? null;
}

export interface ContextEvent {
  readonly id: string;
  readonly createdAt: Date;
  readonly actor: string | null;
  readonly userText: string | null;
  readonly assistantText: string | null;
}

/** The events before one, those of its client first; each text at most 1,000 characters. */
export async function eventsBefore(
  db: Queryable,
  { agentId, projectId, event, seq }: Growing,
  limit: number,
): Promise<ContextEvent[]> {
  const { rows } = await sql<ContextEvent>`
    select e.id, e.created_at, e.actor, left(e.user_text, 1000) as user_text,
      left(e.assistant_text, 1000) as assistant_text
    from memory_events e
    where e.agent_id = ${agentId} and e.project_id is not distinct from ${projectId}
      and (e.created_at, e.seq) < (${event.createdAt}, ${seq})
    order by e.created_at desc, e.seq desc limit ${limit}`.execute(db);
  return rows;
}

export interface AgentGrowth {
  readonly applied: number;
  readonly tidiedAtApplied: number;
  readonly lastEventAt: Date | null;
}

export async function agentGrowth(db: Queryable, agentId: string): Promise<AgentGrowth> {
  const row = await db
    .selectFrom('memoryGrowthAgents')
    .select(['applied', 'tidiedAtApplied', 'lastEventAt'])
    .where('agentId', '=', agentId)
    .executeTakeFirst();
  return row ?? { applied: 0, tidiedAtApplied: 0, lastEventAt: null };
}

export async function saveAgentStep(
  db: Queryable,
  agentId: string,
  steps: object,
  tidiedAtApplied?: number,
): Promise<void> {
  await sql`insert into memory_growth_agents as a (agent_id, steps) values (${agentId}, ${JSON.stringify(steps)}::jsonb)
    on conflict (agent_id) do update set steps = a.steps || excluded.steps,
      tidied_at_applied = coalesce(${tidiedAtApplied ?? null}::bigint, a.tidied_at_applied),
      updated_at = clock_timestamp()`.execute(db);
}
