import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';

export interface NamedMember {
  readonly id: string;
  readonly name: string;
  readonly type: string;
}

/** A text is compared with no more names. */
const MAX_NAMES = 1_000;

/** Who reads the chats of a project: its members, and the owners. Nobody who was deleted. */
export async function namedMembers(db: Queryable, projectId: string): Promise<NamedMember[]> {
  const { rows } = await sql<NamedMember>`
    select a.id, a.name, a.type from agents a
    where a.deleted_at is null and (a.access_level = 'owner' or exists (select from project_agents m
      where m.project_id = ${projectId} and m.agent_id = a.id))
    order by a.id limit ${MAX_NAMES}`.execute(db);
  return rows;
}

/** Returns the people for whom it is new. */
export async function insertMentions(
  db: Queryable,
  { messageId, humanIds }: { readonly messageId: string; readonly humanIds: readonly string[] },
): Promise<string[]> {
  const { rows } = await sql<{ humanId: string }>`
    insert into mentions (message_id, human_id, created_at)
    select m.id, h.id, m.created_at from chat_messages m cross join unnest(${humanIds}::text[]) as h (id)
    where m.id = ${messageId}
    on conflict (message_id, human_id) do nothing
    returning human_id`.execute(db);
  return rows.map(({ humanId }) => humanId);
}
