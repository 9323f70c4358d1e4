import { sql } from 'kysely';
import { appendFacts } from '../changes/change-log.ts';
import type { Message, MessagePage } from '../contract/chat.ts';
import {
  countMessages,
  MESSAGE_COLUMNS,
  MESSAGE_SENDER_JOIN,
  type MessageRow,
  toMessage,
} from '../db/repositories/message-rows.ts';
import { AppError } from '../errors.ts';
import { requireChatTarget } from './chat-target.ts';
import { chatThreadId } from './chat-transaction.ts';
import type { ServiceDeps } from './deps.ts';
import { type Person, requireMember } from './person.ts';

type Pair = { projectId: string; agentId: string };

export interface ListMessagesInput extends Pair {
  readonly after?: string | undefined;
  readonly before?: string | undefined;
  readonly limit: number;
  readonly includeInvisible?: boolean | undefined;
}

/** What was said: pages of a thread, single messages for streams, and how far people have read. */
export class ChatHistory {
  readonly #deps: Pick<ServiceDeps, 'database'>;

  constructor(deps: Pick<ServiceDeps, 'database'>) {
    this.#deps = deps;
  }

  /**
   * One page, oldest first: the next ones after a message, those directly before one, or the newest. An unknown
   * message id is `message_not_found`; invisible messages are for owners.
   */
  async list(person: Person, input: ListMessagesInput): Promise<MessagePage> {
    const { db } = this.#deps.database;
    await requireChatTarget(db, person, input, { writes: false });
    if (input.includeInvisible && person.accessLevel !== 'owner')
      throw new AppError('forbidden', 'Only owners see invisible messages.');
    const thread = chatThreadId(input.projectId, input.agentId);
    const visible = input.includeInvisible ? sql`` : sql`and m.visible`;
    const edge = await this.#edge(thread, input);
    const range =
      input.after !== undefined
        ? sql`and m.seq > ${edge}`
        : input.before !== undefined
          ? sql`and m.seq < ${edge}`
          : sql``;
    const order = input.after !== undefined ? sql`m.seq` : sql`m.seq desc`;
    const [page, total] = await Promise.all([
      sql<MessageRow>`select ${sql.raw(MESSAGE_COLUMNS)} from chat_messages m ${sql.raw(MESSAGE_SENDER_JOIN)}
        where m.thread_id = ${thread} ${visible} ${range} order by ${order} limit ${input.limit + 1}`.execute(
        db.withoutPlugins(),
      ),
      countMessages(db, thread, { invisible: input.includeInvisible }),
    ]);
    const rows = page.rows.slice(0, input.limit);
    if (input.after === undefined) rows.reverse();
    return {
      messages: rows.map(toMessage),
      hasMore: page.rows.length > input.limit,
      totalCount: total,
    };
  }

  /** Messages as they are now, by id; for streams and results. Unknown ids are simply absent. */
  async byIds(ids: readonly string[]): Promise<Map<string, Message>> {
    if (ids.length === 0) return new Map();
    const { rows } = await sql<MessageRow>`
      select ${sql.raw(MESSAGE_COLUMNS)} from chat_messages m ${sql.raw(MESSAGE_SENDER_JOIN)}
      where m.id = any(${ids}::text[])`.execute(this.#deps.database.db.withoutPlugins());
    return new Map(rows.map((row) => [row.id, toMessage(row)]));
  }

  /** Marks everything up to a message as read; never moves backwards. */
  async markRead(person: Person, input: Pair & { upToMessageId: string }): Promise<{ unread: number }> {
    await requireChatTarget(this.#deps.database.db, person, input, { writes: false });
    const thread = chatThreadId(input.projectId, input.agentId);
    return this.#deps.database.transaction(async (tx) => {
      const message = await tx.db
        .selectFrom('chatMessages')
        .select('seq')
        .where('id', '=', input.upToMessageId)
        .where('threadId', '=', thread)
        .executeTakeFirst();
      if (!message) throw new AppError('message_not_found', 'There is no such message in this chat.');
      await sql`insert into read_marks (human_id, thread_id, last_seq) values (${person.id}, ${thread}, ${message.seq})
        on conflict (human_id, thread_id) do update
          set last_seq = greatest(read_marks.last_seq, excluded.last_seq)`.execute(tx.db);
      await appendFacts(tx, [{ kind: 'unread', projectId: input.projectId, ref: { humanId: person.id } }]);
      const { rows } = await sql<{ unread: number }>`
        select count(*)::int as unread from chat_messages m
        join read_marks r on r.human_id = ${person.id} and r.thread_id = m.thread_id
        where m.thread_id = ${thread} and m.visible and m.sender <> 'user' and m.seq > r.last_seq`.execute(
        tx.db,
      );
      return { unread: rows[0]?.unread ?? 0 };
    });
  }

  /** What this person has not read, by agent; his own words and other people's do not count. */
  async unreadCounts(person: Person, projectId: string): Promise<{ counts: Record<string, number> }> {
    await requireMember(this.#deps.database.db, person, projectId);
    const { rows } = await sql<{ agentId: string; unread: number }>`
      select t.agent_id, (
        select count(*)::int from chat_messages m
        where m.thread_id = t.id and m.visible and m.sender <> 'user' and m.seq > coalesce(r.last_seq, 0)) as unread
      from chat_threads t
      join project_agents pa on pa.project_id = t.project_id and pa.agent_id = t.agent_id
      left join read_marks r on r.thread_id = t.id and r.human_id = ${person.id}
      where t.project_id = ${projectId} and t.conversation_id is null`.execute(this.#deps.database.db);
    return { counts: Object.fromEntries(rows.map((row) => [row.agentId, row.unread])) };
  }

  async #edge(thread: string, input: ListMessagesInput): Promise<number> {
    const id = input.after ?? input.before;
    if (id === undefined) return 0;
    const row = await this.#deps.database.db
      .selectFrom('chatMessages')
      .select('seq')
      .where('id', '=', id)
      .where('threadId', '=', thread)
      .executeTakeFirst();
    if (!row) throw new AppError('message_not_found', 'There is no such message in this chat.');
    return row.seq;
  }
}
