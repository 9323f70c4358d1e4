import { sql } from 'kysely';
import type { MemorySource, StateKind } from '../../contract/memory.ts';
import type { Queryable } from '../../platform/db/database.ts';

/** An event as it is quoted. */
export interface SaidEvent {
  readonly id: string;
  readonly source: MemorySource;
  readonly actor: string | null;
  readonly agentName: string;
  readonly userText: string | null;
  readonly assistantText: string | null;
  readonly caption: string | null;
  readonly sourceRef: string | null;
  readonly createdAt: Date;
}

/** A state, and who said what it was made from. */
export interface KnownState {
  readonly id: string;
  readonly kind: StateKind;
  readonly actor: string | null;
  readonly lastConfirmedAt: Date;
}

interface Wanted {
  readonly agentId: string;
  readonly projectId: string;
  readonly ids: readonly string[];
}

/** Of the project and general ones; others are absent. */
export async function findSaidEvents(
  db: Queryable,
  { agentId, projectId, ids }: Wanted,
): Promise<SaidEvent[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<SaidEvent>`
    select e.id, e.source, e.actor, a.name as agent_name, e.user_text, e.assistant_text, e.caption, e.source_ref, e.created_at
    from memory_events e join agents a on a.id = e.agent_id
    where e.id = any(${ids}) and e.agent_id = ${agentId}
      and (e.project_id is null or e.project_id = ${projectId})`.execute(db);
  return rows;
}

export async function findKnownStates(
  db: Queryable,
  { agentId, projectId, ids }: Wanted,
): Promise<KnownState[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<KnownState>`
    select s.id, s.kind, s.last_confirmed_at, (select e.actor from memory_events e where e.id = s.evidence[1]) as actor
    from memory_states s
    where s.id = any(${ids}) and s.agent_id = ${agentId}
      and (s.project_id is null or s.project_id = ${projectId})`.execute(db);
  return rows;
}

export async function findAgentName(db: Queryable, agentId: string): Promise<string> {
  const agent = await db
    .selectFrom('agents')
    .select('name')
    .where('id', '=', agentId)
    .executeTakeFirstOrThrow();
  return agent.name;
}
