import pg from 'pg';
import type { Database } from '../../platform/db/database.ts';

/** A message of a person as the fast path stores it. */
export interface Post {
  readonly id: string;
  readonly projectId: string;
  readonly agentId: string;
  readonly humanId: string;
  /** An owner may write everywhere, a member in the member's projects. */
  readonly isOwner: boolean;
  readonly content: string;
  readonly clientMessageId: string | null;
  /** The length of its line in chat.jsonl. */
  readonly lineBytes: number;
}

export interface PostPlace {
  readonly seq: number;
  readonly now: Date;
  readonly logOffset: number;
  readonly workingDirectory: string;
}

/**
 * Stores those posts that are the common case, together in one statement; null for each other post, of which
 * nothing is stored. An error of one post does not affect the others: the statement itself leaves out a post
 * whose clientMessageId exists already, and after an unexpected error the batch is divided into halves until
 * the cause is found, in a logarithm of statements.
 */
export async function storePosts(
  database: Database,
  posts: readonly Post[],
): Promise<readonly (PostPlace | null)[]> {
  const first = firstOfEachName(posts);
  const places = await storeOrHalve(
    database,
    posts.filter((post) => first.has(post)),
  );
  return posts.map(({ id }) => places.get(id) ?? null);
}

/** Of several posts with one clientMessageId the later ones have to find the first. */
function firstOfEachName(posts: readonly Post[]): Set<Post> {
  const names = new Map<string, Post>();
  for (const post of posts) {
    const { id, projectId, agentId, humanId, clientMessageId } = post;
    const name = JSON.stringify(
      clientMessageId === null ? id : [projectId, agentId, humanId, clientMessageId],
    );
    if (!names.has(name)) names.set(name, post);
  }
  return new Set(names.values());
}

async function storeOrHalve(database: Database, posts: readonly Post[]): Promise<Map<string, PostPlace>> {
  if (posts.length === 0) return new Map();
  try {
    return await runStatement(database, posts);
  } catch (error) {
    if (!isFaultOfAPost(error)) throw error;
    if (posts.length === 1) return new Map();
  }
  const middle = posts.length >> 1;
  const front = await storeOrHalve(database, posts.slice(0, middle));
  const back = await storeOrHalve(database, posts.slice(middle));
  return new Map([...front, ...back]);
}

/** Class 22 or 23: a value that does not fit, or a violated constraint. */
function isFaultOfAPost(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^2[23]/.test(error.code ?? '');
}

interface PlaceRow {
  id: string;
  seq: number;
  now: Date;
  log_offset: number;
  working_directory: string;
}

async function runStatement(database: Database, posts: readonly Post[]): Promise<Map<string, PostPlace>> {
  const rows = await database.statement<PlaceRow>({
    name: 'post_message',
    text: STORE_POSTS,
    values: [
      posts.map((post) => post.id),
      posts.map((post) => post.projectId),
      posts.map((post) => post.agentId),
      posts.map((post) => post.humanId),
      posts.map((post) => post.isOwner),
      posts.map((post) => post.content),
      posts.map((post) => post.clientMessageId),
      posts.map((post) => post.lineBytes),
    ],
  });
  return new Map(
    rows.map(({ id, seq, now, log_offset, working_directory }) => [
      id,
      { seq, now, logOffset: log_offset, workingDirectory: working_directory },
    ]),
  );
}

/**
 * Counters, messages and change events in one statement, for the posts with: project not archived, chat
 * session active, caller an owner or a member, clientMessageId new. The statement need not check that the
 * agent is a live AI member: a transaction that changes this also ends the agent's sessions
 * (removal/remove.ts). The id of a thread is chatThreadId(). A thread that is locked is left out: its
 * messages wait for the lock on the normal path, and messages of other threads do not wait with them. So is a
 * thread that received a message after the statement began: a clientMessageId of that message is not visible
 * here, and would fail the whole batch. A subquery hides the number of posts from Postgres, which would
 * otherwise plan anew for each number.
 */
const STORE_POSTS = `
  with input as materialized (
    select * from unnest((select $1::text[]), $2::text[], $3::text[], $4::text[], $5::boolean[], $6::text[], $7::text[],
      $8::bigint[]) with ordinality
      as i (id, project_id, agent_id, human_id, is_owner, content, client_message_id, bytes, place)
  ), allowed as materialized (
    select i.*, i.project_id || '/' || i.agent_id as thread_id, p.working_directory
    from input i
    join projects p on p.id = i.project_id and p.status <> 'archived' and p.deleted_at is null
    where exists (select from agent_sessions s where s.project_id = i.project_id and s.agent_id = i.agent_id
        and s.purpose = 'chat' and s.task_id = '' and s.state = 'active' and s.close_requested_at is null)
      and (i.is_owner or exists (select from project_agents me
        where me.project_id = i.project_id and me.agent_id = i.human_id))
      and not exists (select from chat_messages m where m.thread_id = i.project_id || '/' || i.agent_id
        and m.human_id = i.human_id and m.client_message_id = i.client_message_id)
  ), locked as materialized (
    select id, last_seq from chat_threads where id in (select thread_id from allowed) for no key update skip locked
  ), unchanged as (
    select id from locked join chat_threads seen using (id, last_seq)
  ), growth as (
    select thread_id, count(*) as messages, sum(bytes)::bigint as bytes from allowed group by thread_id
  ), t as (
    update chat_threads t set last_seq = t.last_seq + g.messages, log_bytes = t.log_bytes + g.bytes
    from growth g join unchanged on unchanged.id = g.thread_id
    where t.id = g.thread_id
    returning t.id, t.last_seq - g.messages as seq, t.log_bytes - g.bytes as log_offset,
      date_trunc('milliseconds', clock_timestamp()) as now
  ), placed as materialized (
    select a.*, t.now, t.seq + row_number() over behind as seq,
      (t.log_offset + sum(a.bytes) over behind - a.bytes)::bigint as log_offset
    from allowed a join t on t.id = a.thread_id
    window behind as (partition by a.thread_id order by a.place rows unbounded preceding)
  ), stored as (
    insert into chat_messages (id, thread_id, seq, project_id, agent_id, sender, sender_id, human_id, content,
      created_at, client_message_id, deliver_to, log_offset)
    select id, thread_id, seq, project_id, agent_id, 'user', 'user', human_id, content, now, client_message_id,
      agent_id, log_offset
    from placed
  ), fact as (
    insert into change_log (project_id, kind, ref)
    select project_id, 'message', jsonb_build_object('messageId', id) from placed
  )
  select id, seq, now, log_offset, working_directory from placed`;
