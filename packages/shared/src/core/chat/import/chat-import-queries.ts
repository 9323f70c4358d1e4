import { sql } from 'kysely';
import { ADVISORY_LOCKS } from '../../../platform/db/advisory-locks.ts';
import type { Queryable } from '../../../platform/db/database.ts';
import type { MembershipKey } from '../../rules/work-key.ts';
import { chatThreadId } from '../thread-id.ts';

export interface ImportedMessage {
  readonly id: string;
  readonly sender: string;
  readonly senderId: string;
  readonly humanId: string | null;
  readonly content: string;
  readonly createdAt: string;
  readonly visible: boolean;
  /** The length of its line in chat.jsonl. */
  readonly bytes: number;
}

/** Take it before any row lock: of two imports at once the later one sees the messages of the first. Imports are rare. */
export async function lockChatImports(db: Queryable): Promise<void> {
  await sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.chatImport})`.execute(db);
}

export async function workingDirectoryOf(db: Queryable, projectId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('projects')
    .select('workingDirectory')
    .where('id', '=', projectId)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
  return row?.workingDirectory;
}

/** The AI agents of a project, in the order of their ids. */
export async function agentsOfProject(db: Queryable, projectId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select a.id from project_agents pa join agents a on a.id = pa.agent_id
    where pa.project_id = ${projectId} and a.type = 'ai' and a.deleted_at is null order by a.id`.execute(db);
  return rows.map(({ id }) => id);
}

/** Which of these are people. */
export async function peopleOf(db: Queryable, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from agents where id = any(${ids}::text[]) and type = 'human'`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** The thread of each of these messages that is stored. */
export async function threadsOf(db: Queryable, ids: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; threadId: string }>`
    select id, thread_id from chat_messages where id = any(${ids}::text[])`.execute(db);
  return new Map(rows.map(({ id, threadId }) => [id, threadId]));
}

/** Whether the chat holds a line that people see, other than these. */
export async function holdsOther(db: Queryable, threadId: string, ids: readonly string[]): Promise<boolean> {
  const { rows } = await sql`
    select from chat_messages where thread_id = ${threadId} and visible and not (id = any(${ids}::text[]))
    limit 1`.execute(db);
  return rows.length > 0;
}

/** At the end of the chat, which is locked by it. Nobody has to answer them. */
export async function insertImported(
  db: Queryable,
  { projectId, agentId }: MembershipKey,
  messages: readonly ImportedMessage[],
): Promise<void> {
  let bytes = 0;
  const news = messages.filter(({ sender, visible }) => visible && sender !== 'user').length;
  const rows = messages.map((message, index) => {
    const before = bytes;
    bytes += message.bytes;
    return { ...message, n: index + 1, before };
  });
  await sql`
    with t as (
      update chat_threads t set last_seq = t.last_seq + ${rows.length}::bigint, log_bytes = t.log_bytes + ${bytes}::bigint,
        news_count = t.news_count + ${news}::int, news_hour = case when ${news}::int > 0
          then date_trunc('hour', clock_timestamp(), 'UTC') else t.news_hour end
      where t.id = ${chatThreadId(projectId, agentId)}
      returning t.id, t.last_seq - ${rows.length}::bigint as seq, t.log_bytes - ${bytes}::bigint as log_offset
    )
    insert into chat_messages (id, thread_id, seq, project_id, agent_id, sender, sender_id, human_id, content,
      created_at, visible, log_offset)
    select r.id, t.id, t.seq + r.n, ${projectId}, ${agentId}, r.sender, r."senderId", r."humanId", r.content,
      r."createdAt", r.visible, t.log_offset + r.before
    from t cross join jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (id text, sender text, "senderId" text,
      "humanId" text, content text, "createdAt" timestamptz, visible boolean, n bigint, before bigint)`.execute(
    db,
  );
}

/** What was said before is new to nobody: everybody who may see the project has read the chat to its end. */
export async function markReadByAll(db: Queryable, { projectId, agentId }: MembershipKey): Promise<void> {
  await sql`
    insert into read_marks as r (human_id, thread_id, last_seq, news_count)
    select a.id, t.id, t.last_seq, t.news_count
    from chat_threads t join agents a on a.type = 'human' and a.deleted_at is null
      and (a.access_level = 'owner' or exists (select from project_agents m
        where m.project_id = ${projectId} and m.agent_id = a.id))
    where t.id = ${chatThreadId(projectId, agentId)}
    on conflict (human_id, thread_id) do update set last_seq = greatest(r.last_seq, excluded.last_seq),
      news_count = greatest(r.news_count, excluded.news_count)`.execute(db);
}
