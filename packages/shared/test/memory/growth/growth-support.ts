import { type GrowthDeps, growAgent } from '../../../src/core/memory/growth/grow-agent.ts';
import type { Database } from '../../../src/platform/db/database.ts';
import type { ServiceWorld } from '../../../src/testing/service-world.ts';

export const TIME_ZONE = 'Asia/Tokyo';

/** Lets a memory grow until nothing is left, also what has to wait for its next attempt. */
export async function grow(
  { database, deps }: Pick<ServiceWorld, 'database' | 'deps'>,
  agentId: string,
  more: Partial<GrowthDeps> = {},
): Promise<number> {
  const { signal } = new AbortController();
  const all = { database, logger: deps.logger, timeZone: TIME_ZONE, retryMs: [0], ...more };
  let applied = 0;
  for (;;) {
    const grown = await growAgent(all, agentId, signal);
    applied += grown.applied;
    if (grown.retryMs === null) return applied;
  }
}

/** The rows of a memory without what a clock or a sequence has made. */
export async function rowsOf({ pool }: Database, agentId: string): Promise<Record<string, unknown[]>> {
  const read = async (text: string) =>
    (await pool.query<{ row: unknown }>(text, [agentId])).rows.map(({ row }) => row);
  const of = (table: string, order: string, drop = '') =>
    read(`select to_jsonb(t) ${drop} as row from ${table} t where agent_id = $1 order by ${order}`);
  return {
    states: await of('memory_states', 'id'),
    revisions: await read(
      `select to_jsonb(r) - 'id' as row from memory_revisions r join memory_states s on s.id = r.state_id
       where s.agent_id = $1 order by r.state_id, r.id`,
    ),
    documents: await of('memory_documents', 'coalesce(event_id, state_id)', `- 'id' - 'text_seq'`),
    annotations: await of('memory_event_annotations', 'event_id'),
    entities: await of('memory_event_entities', 'event_id, type, name'),
    threads: await of('memory_event_threads', 'event_id, thread_key'),
    affects: await of('memory_event_affects', 'event_id'),
    links: await read(
      `select to_jsonb(l) as row from memory_event_links l join memory_events e on e.id = l.from_event_id
       where e.agent_id = $1 order by l.from_event_id, l.to_event_id, l.label`,
    ),
    scopes: await of('memory_summary_scopes', 'project_id, scope_type, scope_key'),
    growth: await of('memory_growth', 'event_id', `- 'steps' - 'applied_at' - 'retry_at' - 'error_at'`),
    agents: await of('memory_growth_agents', 'agent_id', `- 'steps' - 'updated_at'`),
  };
}

/** As if nothing had grown yet. */
export async function forgetGrowth({ pool }: Database, agentId: string): Promise<void> {
  for (const statement of [
    `delete from memory_states where agent_id = $1`,
    `delete from memory_event_annotations where agent_id = $1`,
    `delete from memory_event_entities where agent_id = $1`,
    `delete from memory_event_threads where agent_id = $1`,
    `delete from memory_event_affects where agent_id = $1`,
    `delete from memory_event_links l using memory_events e where e.id = l.from_event_id and e.agent_id = $1
      and l.made_by <> 'system'`,
    `delete from memory_growth_agents where agent_id = $1`,
    `delete from memory_summary_scopes where agent_id = $1`,
    `update memory_growth set state = 'pending', made_by = null, steps = '{}', dropped = '[]' where agent_id = $1`,
  ])
    await pool.query(statement, [agentId]);
}
