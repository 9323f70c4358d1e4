import { sql } from 'kysely';
import type { MemorySource, StateKind } from '../../contract/memory.ts';
import type { TaskStatus } from '../../contract/task.ts';
import type { Queryable } from '../../platform/db/database.ts';

export async function aiMembers(db: Queryable, projectId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('projectAgents as m')
    .innerJoin('agents as a', 'a.id', 'm.agentId')
    .select('a.id')
    .where('m.projectId', '=', projectId)
    .where('a.type', '=', 'ai')
    .where('a.deletedAt', 'is', null)
    .orderBy('a.id')
    .execute();
  return rows.map(({ id }) => id);
}

export interface FoundEvent {
  readonly id: string;
  readonly source: MemorySource;
  readonly sourceRef: string | null;
  readonly actor: string | null;
  readonly userText: string | null;
  readonly assistantText: string | null;
  readonly caption: string | null;
}

/** Of what the memories of a project named: only what this project may see, with the first characters of its texts. */
export async function foundEvents(
  db: Queryable,
  projectId: string,
  ids: readonly string[],
  maxTextLength: number,
): Promise<FoundEvent[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<FoundEvent>`
    select id, source, source_ref, actor, left(user_text, ${maxTextLength}::int) as user_text,
      left(assistant_text, ${maxTextLength}::int) as assistant_text, left(caption, ${maxTextLength}::int) as caption
    from memory_events
    where id = any(${ids}::text[]) and (project_id is null or project_id = ${projectId})`.execute(db);
  return rows;
}

export async function foundStates(
  db: Queryable,
  projectId: string,
  ids: readonly string[],
): Promise<{ id: string; kind: StateKind }[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<{ id: string; kind: StateKind }>`
    select id, kind from memory_states
    where id = any(${ids}::text[]) and (project_id is null or project_id = ${projectId})`.execute(db);
  return rows;
}

/** A message that an event was made from, and its conversation. */
export interface SaidMessage {
  readonly id: string;
  readonly agentId: string;
  readonly senderName: string | null;
  readonly createdAt: Date;
  readonly conversationId: string | null;
  readonly purpose: string | null;
  readonly sides: string[] | null;
  readonly messageCount: number | null;
}

export async function saidMessages(
  db: Queryable,
  projectId: string,
  ids: readonly string[],
): Promise<SaidMessage[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<SaidMessage>`
    select m.id, m.agent_id, sender_agent.name as sender_name, m.created_at, c.id as conversation_id, c.purpose,
      case when c.id is not null then array[c.initiator_agent_id, c.participant_agent_id] end as sides, c.message_count
    from chat_messages m left join conversations c on c.id = m.conversation_id
      left join agents sender_agent on sender_agent.id = coalesce(m.human_id, m.sender_id)
    where m.id = any(${ids}::text[]) and m.project_id = ${projectId} and m.visible`.execute(db);
  return rows;
}

/** The tasks that changed last, by their versions. */
export async function taskVersions(
  db: Queryable,
  projectId: string,
  most: number,
): Promise<{ id: string; version: number }[]> {
  return db
    .selectFrom('tasks')
    .select(['id', 'version'])
    .where('projectId', '=', projectId)
    .where('deletedAt', 'is', null)
    .orderBy('updatedAt', 'desc')
    .orderBy('id')
    .limit(most)
    .execute();
}

export interface TaskText {
  readonly id: string;
  readonly version: number;
  readonly title: string;
  readonly description: string;
  readonly status: TaskStatus;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** With the first characters of their descriptions. */
export async function taskTexts(
  db: Queryable,
  projectId: string,
  ids: readonly string[],
  maxDescriptionLength: number,
): Promise<TaskText[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<TaskText>`
    select id, version, title, left(description, ${maxDescriptionLength}::int) as description, status,
      created_at, updated_at
    from tasks where id = any(${ids}::text[]) and project_id = ${projectId} and deleted_at is null`.execute(
    db,
  );
  return rows;
}
