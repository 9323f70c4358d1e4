import { sql } from 'kysely';
import type { INBOX_KINDS } from '../../contract/inbox.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { isShownSql } from './inbox-mark-queries.ts';
import { FAILED_ENDS, MENTION_LENGTH, member, mine, NOTHING_NEWER, notRead } from './inbox-part-queries.ts';

export interface InboxRow {
  readonly kind: (typeof INBOX_KINDS)[number];
  readonly projectId: string;
  readonly agentId: string | null;
  readonly refId: string;
  /** Of a mention in a comment, with the title of the task. */
  readonly taskId?: string | null;
  readonly taskTitle?: string | null;
  readonly createdAt: Date;
  /** Its own text: a question, what is to be allowed, a message, the title of a task. */
  readonly words: string | null;
  readonly name: string | null;
  readonly cause: string | null;
  readonly count: number | null;
  /** Of a question of the system: what it asks, for each reader. */
  readonly reason?: unknown;
  /** Of a failed message. */
  readonly failure?: unknown;
  /** Of a blocked task: what the attempt ended with that blocked it, and the same for each reader. */
  readonly summary?: string | null;
  readonly summaryReason?: unknown;
}

export interface InboxQuery {
  readonly personId: string;
  /** An owner sees every project, others those they are members of. */
  readonly isOwner: boolean;
  /** A viewer cannot act on anything: only mentions and unread messages are in a viewer's inbox. */
  readonly acts: boolean;
  readonly failedRunsSince: Date;
  readonly now: Date;
  readonly limit: number;
}

/** Of the failed messages of one person only the newest are read. */
const FAILED_LOOKED_AT = 500;
/** Of the mentions of one person only the newest are read, and of those that wait the newest are shown. */
const MENTIONS_LOOKED_AT = 2_000;
const MENTIONS_SHOWN = 50;
/** Of what an attempt ended with, in characters: a row shows three lines. */
const SUMMARY_LENGTH = 500;
/**
 * Everything that waits for one person. Each kind is read from an index in its order: first as many keys as
 * may be shown, then the texts of those that are shown.
 */
export class InboxQueries {
  readonly #db: Queryable;

  constructor(db: Queryable) {
    this.#db = db;
  }

  /**
   * The longest waiting first. When there is more than the limit, cards come before reviews and
   * proposals, these before failures, failures before blocked tasks, and these before mentions and unread messages: a card
   * must not be hidden behind a thousand chats that nobody reads.
   */
  async list(query: InboxQuery): Promise<InboxRow[]> {
    const found: InboxRow[] = [];
    const read = async (kind: (query: InboxQuery) => Promise<InboxRow[]>) => {
      const limit = query.limit - found.length;
      if (limit > 0) found.push(...(await kind({ ...query, limit })));
    };
    if (query.acts) {
      await read((rest) => this.#cards(rest));
      await read((rest) => this.#reviews(rest));
      await read((rest) => this.#proposals(rest));
      await read((rest) => this.#failedMessages(rest));
      await read((rest) => this.#failedRuns(rest));
      await read((rest) => this.#blockedTasks(rest));
    }
    await read((rest) => this.#mentions(rest));
    await read((rest) => this.#mentionsInComments(rest));
    await read((rest) => this.#unread(rest));
    return found.sort(
      (a, b) => a.createdAt.getTime() - b.createdAt.getTime() || (a.refId < b.refId ? -1 : 1),
    );
  }

  /**
   * The inboxes that a change of these messages may have changed: null means everybody who sees the project
   * (there is more to read), an id means only that writer (the message may have failed, or be newer than a
   * failed one); others are absent.
   */
  async concernedBy(messageIds: readonly string[]): Promise<ReadonlyMap<string, string | null>> {
    if (messageIds.length === 0) return new Map();
    const { rows } = await sql<{ id: string; humanId: string | null }>`
      select id, human_id from chat_messages
      where id = any(${messageIds}::text[]) and visible and conversation_id is null
        and (sender <> 'user' or human_id is not null)`.execute(this.#db);
    return new Map(rows.map(({ id, humanId }) => [id, humanId]));
  }

  /** Questions and approvals: both wait for the same time, so their order is also that of their deadlines. */
  async #cards(query: InboxQuery): Promise<InboxRow[]> {
    const { rows } = await sql<InboxRow>`
      select c.kind, c.project_id, c.agent_id, c.tool_use_id as ref_id, c.since as created_at, c.words, c.reason,
        null as name, null as cause, null as count
      from (${mine(query)}) mine cross join lateral (
        (select 'question' as kind, q.project_id, q.agent_id, q.tool_use_id, q.shown_at as since,
            q.questions -> 0 ->> 'question' as words, q.questions -> 0 -> 'reason' as reason
          from user_questions q
          where q.project_id = mine.id and q.state = 'pending' and q.shown_at is not null
          order by q.shown_at, q.tool_use_id limit ${query.limit})
        union all
        (select 'approval' as kind, q.project_id, q.agent_id, q.tool_use_id, q.created_at as since,
            q.summary as words, null as reason
          from approvals q where q.project_id = mine.id and q.state = 'pending'
          order by q.created_at, q.tool_use_id limit ${query.limit})) c
      order by c.since, c.tool_use_id limit ${query.limit}`.execute(this.#db);
    return rows;
  }

  /** Tasks that were handed in to this person, as long as nobody has moved them or given them to somebody else. */
  async #reviews(query: InboxQuery): Promise<InboxRow[]> {
    const { rows } = await sql<InboxRow>`
      select 'review' as kind, t.project_id, null as agent_id, t.id as ref_id, t.review_since as created_at,
        t.title as words, null as name, null as cause, null as count
      from tasks t
      where t.assignee_id = ${query.personId} and t.review_since is not null and t.deleted_at is null
        and t.status = 'in_progress' and t.project_id = any(array(${mine(query)}))
      order by t.review_since, t.id limit ${query.limit}`.execute(this.#db);
    return rows;
  }

  /** Parts that an agent proposes of a task that is open. */
  async #proposals(query: InboxQuery): Promise<InboxRow[]> {
    const { rows } = await sql<InboxRow>`
      select 'proposal' as kind, p.project_id, p.agent_id, p.task_id as ref_id, p.created_at,
        p.title as words, null as name, null as cause, null as count
      from (${mine(query)}) mine cross join lateral (
        select p.project_id, p.agent_id, p.task_id, p.created_at, t.title
        from task_proposals p join tasks t on t.id = p.task_id and t.deleted_at is null
          and t.status not in ('done', 'cancelled')
        where p.project_id = mine.id and p.state = 'open' order by p.created_at limit ${query.limit}) p
      order by p.created_at, p.task_id limit ${query.limit}`.execute(this.#db);
    return rows;
  }

  /** Until it is sent again, or its writer has written a newer message there. */
  async #failedMessages(query: InboxQuery): Promise<InboxRow[]> {
    const { rows } = await sql<InboxRow>`
      select 'failed_message' as kind, m.project_id, m.agent_id, m.id as ref_id, m.failed_at as created_at,
        m.content as words, null as name, null as cause, null as count, m.failure
      from (select * from chat_messages where human_id = ${query.personId} and state = 'failed' and sender = 'user'
        order by failed_at desc, id desc limit ${FAILED_LOOKED_AT}) m
      where m.project_id = any(array(${mine(query)}))
        and ${NOTHING_NEWER}
        and ${isShownSql(query, 'failed_message', { ref: 'm.id', at: 'm.failed_at' })}
      order by m.failed_at desc, m.id desc limit ${query.limit}`.execute(this.#db);
    return rows;
  }

  /** The last run of an agent, until there is a newer one. */
  async #failedRuns(query: InboxQuery): Promise<InboxRow[]> {
    const { rows } = await sql<InboxRow>`
      select 'failed_run' as kind, r.project_id, r.agent_id, r.id as ref_id, r.ended_at as created_at, null as words,
        a.name, r.exit_cause as cause, null as count
      from (select r.* from (${mine(query)}) mine cross join lateral (
          select r.id, r.project_id, r.agent_id, r.ended_at, r.exit_cause from agent_runs r
          where r.project_id = mine.id and not r.followed
            and ${FAILED_ENDS}
            and r.ended_at > ${query.failedRunsSince}
            and ${isShownSql(query, 'failed_run', { ref: 'r.id', at: 'r.ended_at' })}
          order by r.ended_at, r.id limit ${query.limit}) r order by r.ended_at, r.id offset 0) r
      cross join lateral (${member('r')}) a
      order by r.ended_at, r.id limit ${query.limit}`.execute(this.#db);
    return rows;
  }

  async #blockedTasks(query: InboxQuery): Promise<InboxRow[]> {
    const { rows } = await sql<InboxRow>`
      select 'blocked_task' as kind, t.project_id, t.assignee_id as agent_id, t.id as ref_id, t.blocked_since as created_at,
        t.title as words, null as name, null as cause, null as count, n.summary, n.reason as summary_reason
      from (select t.id from (${mine(query)}) mine cross join lateral (
          select t.id, t.blocked_since from tasks t
          where t.project_id = mine.id and t.status = 'blocked' and t.deleted_at is null
            and ${isShownSql(query, 'blocked_task', { ref: 't.id', at: 't.blocked_since' })}
          order by t.blocked_since, t.id limit ${query.limit}) t
        order by t.blocked_since, t.id limit ${query.limit}) first
      cross join lateral (select * from tasks t where t.id = first.id limit 1) t
      left join lateral (select left(n.summary, ${SUMMARY_LENGTH}) as summary, n.reason
        from (select * from task_attempts n where n.task_id = t.id order by n.n desc limit 1) n
        where n.ended_at >= t.blocked_since) n on true`.execute(this.#db);
    return rows;
  }

  /** Until the person has read so far, or has put it away; while the chat is there to be read. */
  async #mentions(query: InboxQuery): Promise<InboxRow[]> {
    const { personId } = query;
    const { rows } = await sql<InboxRow>`
      select 'mention' as kind, t.project_id, t.agent_id, t.id as ref_id, t.created_at,
        left(t.content, ${MENTION_LENGTH}) as words, a.name, null as cause, null as count
      from (select n.message_id, n.created_at from mentions n where n.human_id = ${personId}
          and ${isShownSql(query, 'mention', { ref: 'n.message_id', at: 'n.created_at' })}
        order by n.created_at desc, n.message_id limit ${MENTIONS_LOOKED_AT}) n
      cross join lateral (select * from chat_messages m where m.id = n.message_id limit 1) t
      cross join lateral (${member('t')}) a
      where t.project_id = any(array(${mine(query)})) and ${notRead(personId)}
      order by t.created_at desc, t.id limit ${Math.min(query.limit, MENTIONS_SHOWN)}`.execute(this.#db);
    return rows;
  }

  /** Until the person has seen the comment, or has put it away; while the task is there. */
  async #mentionsInComments(query: InboxQuery): Promise<InboxRow[]> {
    const { rows } = await sql<InboxRow>`
      select 'mention' as kind, t.project_id, null as agent_id, c.id as ref_id, t.id as task_id,
        t.title as task_title, c.created_at,
        left(c.body, ${MENTION_LENGTH}) as words, null as name, null as cause, null as count
      from (select n.comment_id, n.created_at from comment_mentions n where n.human_id = ${query.personId}
          and ${isShownSql(query, 'mention', { ref: 'n.comment_id', at: 'n.created_at' })}
        order by n.created_at desc, n.comment_id limit ${MENTIONS_LOOKED_AT}) n
      cross join lateral (select * from task_comments c where c.id = n.comment_id limit 1) c
      cross join lateral (select * from tasks t where t.id = c.task_id and t.deleted_at is null limit 1) t
      where t.project_id = any(array(${mine(query)}))
      order by n.created_at desc, n.comment_id limit ${Math.min(query.limit, MENTIONS_SHOWN)}`.execute(
      this.#db,
    );
    return rows;
  }

  /**
   * The number of unread messages is the news_count of the thread minus that of the reader; the time of the
   * first is one step into an index for each chat that is shown. Chats are read from the one with the newest
   * news on, until enough of them are unread. The chats that the reader has read to the end are collected
   * once, because `is true` prevents a join in Postgres that would read all chats first: the cost depends on
   * the chats that are shown and those that the reader has ever read.
   */
  async #unread(query: InboxQuery): Promise<InboxRow[]> {
    const { personId } = query;
    const { rows } = await sql<InboxRow>`
      with unread as materialized (
        select t.id, t.project_id, t.agent_id, a.name, t.news_count
        from chat_threads t cross join lateral (${member('t')}) a
        where t.news_hour is not null and t.conversation_id is null and t.project_id = any(array(${mine(query)}))
          and (not exists (select from read_marks r where r.human_id = ${personId} and r.thread_id = t.id
            and r.news_count = t.news_count)) is true
        order by t.news_hour desc, t.id limit ${query.limit}
      )
      select 'unread' as kind, unread.project_id, unread.agent_id, unread.agent_id as ref_id, first.created_at,
        null as words, unread.name, null as cause, (unread.news_count - coalesce(mark.news_count, 0))::int as count
      from unread
      left join lateral (select last_seq, news_count from read_marks r
        where r.human_id = ${personId} and r.thread_id = unread.id limit 1) mark on true
      cross join lateral (
        select m.created_at from chat_messages m
        where m.thread_id = unread.id and m.seq > coalesce(mark.last_seq, 0)
          and m.visible and m.sender <> 'user' and m.conversation_id is null
        order by m.seq limit 1) first
      order by first.created_at, unread.agent_id`.execute(this.#db);
    return rows;
  }
}
