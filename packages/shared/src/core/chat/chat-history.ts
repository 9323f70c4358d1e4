import { type RawBuilder, sql } from 'kysely';
import type { Message, MessagePage } from '../../contract/chat.ts';
import { appendFacts } from '../../platform/changes/change-log.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { PAGE_BYTES } from '../../platform/db/page.ts';
import { AppError } from '../../platform/errors.ts';
import { type Person, requireMember } from '../access/person.ts';
import type { ServiceDeps } from '../deps.ts';
import { requireChatTarget } from './chat-target.ts';
import { chatThreadId } from './chat-transaction.ts';
import {
  countMessages,
  MESSAGE_COLUMNS,
  MESSAGE_SENDER_JOIN,
  type MessageRow,
  toMessage,
} from './message-rows.ts';

type Pair = { projectId: string; agentId: string };

export interface ListMessagesInput extends Pair {
  readonly after?: string | undefined;
  readonly before?: string | undefined;
  readonly limit: number;
  readonly includeInvisible?: boolean | undefined;
  readonly includeConversations?: boolean | undefined;
}

/** What was said: pages of a thread, single messages for streams, and how far people have read. */
export class ChatHistory {
  readonly #deps: Pick<ServiceDeps, 'database'>;

  constructor(deps: Pick<ServiceDeps, 'database'>) {
    this.#deps = deps;
  }

  /**
   * One page, oldest first: the next ones after a message, those directly before one, or the newest; `hasMore` says
   * whether there are more in that direction. An unknown message id is `message_not_found`; invisible messages are for
   * owners.
   */
  async list(person: Person, input: ListMessagesInput): Promise<MessagePage> {
    const { db } = this.#deps.database;
    await requireChatTarget(db, person, input, { writes: false });
    if (input.includeInvisible && person.accessLevel !== 'owner')
      throw new AppError('forbidden', 'Only owners see invisible messages.');
    if (input.includeConversations) return pageOfTranscript(db, input, input);
    return pageOfThread(db, chatThreadId(input.projectId, input.agentId), input);
  }

  /** Messages as they are now, by id; for results. Absent is what `withAgents` leaves out. */
  async byIds(ids: readonly string[]): Promise<Map<string, Message>> {
    const found = await this.withAgents(ids);
    return new Map([...found].map(([id, { message }]) => [id, message]));
  }

  /**
   * The same for streams, with the agent in whose chat each stands; none for what agents say to each other. Unknown ids
   * are absent, and so is what does not fit into one answer: ask again for what comes behind the last one that is there.
   */
  async withAgents(ids: readonly string[]): Promise<Map<string, { message: Message; agentId?: string }>> {
    if (ids.length === 0) return new Map();
    const { rows } = await sql<MessageRow & { agent_id: string }>`
      select ${sql.raw(MESSAGE_COLUMNS)}, m.agent_id
      from (
        select m.*, wanted.place, row_number() over w = 1 or sum(octet_length(m.content)) over w <= ${PAGE_BYTES} as fits
        from unnest(${ids}::text[]) with ordinality as wanted (id, place) join chat_messages m on m.id = wanted.id
        window w as (order by wanted.place)
      ) m ${sql.raw(MESSAGE_SENDER_JOIN)}
      where m.fits order by m.place`.execute(this.#deps.database.db.withoutPlugins());
    return new Map(
      rows.map((row) => [
        row.id,
        { message: toMessage(row), ...(row.conversation_id === null && { agentId: row.agent_id }) },
      ]),
    );
  }

  /** Marks everything up to a message as read; never moves backwards. */
  async markRead(person: Person, input: Pair & { upToMessageId: string }): Promise<{ unread: number }> {
    await requireChatTarget(this.#deps.database.db, person, input, { writes: false });
    const thread = chatThreadId(input.projectId, input.agentId);
    return this.#deps.database.transaction(async (tx) => {
      const unread = await moveMark(tx.db, { humanId: person.id, thread, upTo: input.upToMessageId });
      if (unread === undefined)
        throw new AppError('message_not_found', 'There is no such message in this chat.');
      await appendFacts(tx, [{ kind: 'unread', projectId: input.projectId, ref: { humanId: person.id } }]);
      return { unread };
    });
  }

  /** What this person has not read, by agent; his own words and other people's do not count. */
  async unreadCounts(person: Person, projectId: string): Promise<{ counts: Record<string, number> }> {
    await requireMember(this.#deps.database.db, person, projectId);
    const { rows } = await sql<{ agentId: string; unread: number }>`
      select t.agent_id, (t.news_count - coalesce(r.news_count, 0))::int as unread
      from chat_threads t
      join project_agents pa on pa.project_id = t.project_id and pa.agent_id = t.agent_id
      left join lateral (select r.news_count from read_marks r
        where r.human_id = ${person.id} and r.thread_id = t.id limit 1) r on true
      where t.project_id = ${projectId} and t.conversation_id is null`.execute(this.#deps.database.db);
    return { counts: Object.fromEntries(rows.map((row) => [row.agentId, row.unread])) };
  }
}

/**
 * Moves a person's mark to a message, never back, and says what is unread after it; undefined: no such message. The
 * mark's news_count is the thread's less what comes after the message, read in one snapshot: what is counted is what
 * is left to read.
 */
async function moveMark(
  db: Queryable,
  mark: { humanId: string; thread: string; upTo: string },
): Promise<number | undefined> {
  const { rows } = await sql<{ unread: number }>`
    with here as (
      select t.id as thread_id, t.news_count, m.seq, (select count(*) from chat_messages n
          where n.thread_id = t.id and n.seq > m.seq and n.visible and n.sender <> 'user'
            and n.conversation_id is null) as behind
      from chat_messages m join chat_threads t on t.id = m.thread_id
      where m.id = ${mark.upTo} and m.thread_id = ${mark.thread}
    ), moved as (
      insert into read_marks as r (human_id, thread_id, last_seq, news_count)
      select ${mark.humanId}, thread_id, seq, news_count - behind from here
      on conflict (human_id, thread_id) do update set last_seq = greatest(r.last_seq, excluded.last_seq),
        news_count = greatest(r.news_count, excluded.news_count)
      returning news_count
    )
    select greatest(here.news_count - moved.news_count, 0)::int as unread from here, moved`.execute(db);
  return rows[0]?.unread;
}

interface Page {
  readonly after?: string | undefined;
  readonly before?: string | undefined;
  readonly limit: number;
  readonly includeInvisible?: boolean | undefined;
}

/** One page of a thread by its `seq`, oldest first. */
export async function pageOfThread(db: Queryable, threadId: string, page: Page): Promise<MessagePage> {
  const [messages, totalCount] = await Promise.all([
    readPage(db, [{ where: sql`m.thread_id = ${threadId}`, position: sql`m.seq` }], page),
    countMessages(db, threadId, { invisible: page.includeInvisible }),
  ]);
  return { ...messages, totalCount };
}

/**
 * One page of everything an agent said and heard in a project, its conversations too. Threads count apart; the
 * lines of its transcript give the common order.
 */
async function pageOfTranscript(db: Queryable, pair: Pair, page: Page): Promise<MessagePage> {
  const own = sql`m.project_id = ${pair.projectId} and m.agent_id = ${pair.agentId}`;
  const heard = sql`m.project_id = ${pair.projectId} and m.peer_agent_id = ${pair.agentId}`;
  const [messages, totalCount] = await Promise.all([
    readPage(
      db,
      [
        { where: own, position: sql`m.log_offset` },
        { where: heard, position: sql`m.peer_log_offset` },
      ],
      page,
    ),
    countTranscript(db, pair, page),
  ]);
  return { ...messages, totalCount };
}

/** The chat by its counter; what was said in conversations by what stands in an index. */
async function countTranscript(db: Queryable, pair: Pair, page: Page): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select (select count(*)::int from chat_messages m where m.project_id = ${pair.projectId}
        and m.sender_id = ${pair.agentId} and m.conversation_id is not null)
      + (select count(*)::int from chat_messages m where m.project_id = ${pair.projectId}
        and m.peer_agent_id = ${pair.agentId}) as count`.execute(db);
  const ofChat = await countMessages(db, chatThreadId(pair.projectId, pair.agentId), {
    invisible: page.includeInvisible,
  });
  return ofChat + (rows[0]?.count ?? 0);
}

/** Messages in an order: all that fit, each in its place. */
interface Source {
  readonly where: RawBuilder<unknown>;
  readonly position: RawBuilder<unknown>;
}

/**
 * Each source is read by its own index from the edge on, and gives no more than the page can hold. Contents beyond
 * PAGE_BYTES are not read at all.
 */
async function readPage(
  db: Queryable,
  sources: readonly Source[],
  page: Page,
): Promise<Omit<MessagePage, 'totalCount'>> {
  const edgeId = page.after ?? page.before;
  const edge = edgeId === undefined ? 0 : await edgeOf(db, sources, edgeId);
  const direction = page.after !== undefined ? sql`asc` : sql`desc`;
  // One more than is shown, to know whether there is more.
  const limit = sql`limit ${page.limit + 1}`;
  const parts = sources.map(({ where, position }) => {
    const range =
      page.after !== undefined
        ? sql`and ${position} > ${edge}`
        : page.before !== undefined
          ? sql`and ${position} < ${edge}`
          : sql``;
    return sql`select * from (select m.*, ${position} as position from chat_messages m
      where ${where} ${onlyVisible(page)} ${range} order by ${position} ${direction} ${limit}) part`;
  });
  const { rows } = await sql<MessageRow & { has_next: true | null }>`
    select ${sql.raw(MESSAGE_COLUMNS)}, m.has_next
    from (
      select m.*, row_number() over w as place, lead(true) over w as has_next,
        sum(octet_length(m.content)) over w as bytes
      from (select * from (${sql.join(parts, sql` union all `)}) part order by position ${direction} ${limit}) m
      window w as (order by m.position ${direction})
    ) m ${sql.raw(MESSAGE_SENDER_JOIN)}
    where m.place = 1 or (m.place <= ${page.limit} and m.bytes <= ${PAGE_BYTES})
    order by m.position ${direction}`.execute(db.withoutPlugins());
  const hasMore = rows.at(-1)?.has_next === true;
  if (page.after === undefined) rows.reverse();
  return { messages: rows.map(toMessage), hasMore };
}

async function edgeOf(db: Queryable, sources: readonly Source[], id: string): Promise<number> {
  const places = sources.map(
    ({ where, position }) =>
      sql`select ${position} as position from chat_messages m where m.id = ${id} and ${where}`,
  );
  const { rows } = await sql<{ position: number }>`${sql.join(places, sql` union all `)}`.execute(db);
  const [row] = rows;
  if (!row) throw new AppError('message_not_found', 'There is no such message in this chat.');
  return row.position;
}

function onlyVisible(page: Page): RawBuilder<unknown> {
  return page.includeInvisible ? sql`` : sql`and m.visible`;
}
