import { type RawBuilder, sql } from 'kysely';
import type { Message, MessagePage } from '../../contract/chat.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { PAGE_BYTES } from '../../platform/db/page.ts';
import type { MembershipKey } from '../rules/work-key.ts';
import { MESSAGE_COLUMNS, MESSAGE_SENDER_JOIN, type MessageRow, toMessage } from './message-queries.ts';

/** Which messages, on which side of a message, and how many at most. */
export interface HistoryPage {
  readonly after?: string | undefined;
  readonly before?: string | undefined;
  readonly limit: number;
  readonly includeInvisible?: boolean | undefined;
}

/** Messages in an order: all that fit, each with its position. */
export interface Source {
  readonly where: RawBuilder<unknown>;
  readonly position: RawBuilder<unknown>;
}

/** A thread in the order of its `seq`. */
export function threadSources(threadId: string): readonly Source[] {
  return [{ where: sql`m.thread_id = ${threadId}`, position: sql`m.seq` }];
}

/** Everything that an agent wrote and received in a project, in the order of the lines of its transcript. */
export function transcriptSources({ projectId, agentId }: MembershipKey): readonly Source[] {
  return [
    {
      where: sql`m.project_id = ${projectId} and m.agent_id = ${agentId}`,
      position: sql`m.log_offset`,
    },
    {
      where: sql`m.project_id = ${projectId} and m.peer_agent_id = ${agentId}`,
      position: sql`m.peer_log_offset`,
    },
  ];
}

/** The position of a message; undefined: it is in none of these sources. */
export async function findPosition(
  db: Queryable,
  sources: readonly Source[],
  id: string,
): Promise<number | undefined> {
  const places = sources.map(
    ({ where, position }) =>
      sql`select ${position} as position from chat_messages m where m.id = ${id} and ${where}`,
  );
  const { rows } = await sql<{ position: number }>`${sql.join(places, sql` union all `)}`.execute(db);
  return rows[0]?.position;
}

/**
 * One page, oldest first, on its side of the position `edge`. Each source is read by its own index from the
 * edge on, and gives no more than the page can hold. Contents beyond PAGE_BYTES are not read at all.
 */
export async function readHistory(
  db: Queryable,
  sources: readonly Source[],
  page: HistoryPage,
  edge: number,
): Promise<Omit<MessagePage, 'totalCount'>> {
  const direction = page.after !== undefined ? sql`asc` : sql`desc`;
  // One more than is shown, to know whether there are more.
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

function onlyVisible(page: HistoryPage): RawBuilder<unknown> {
  return page.includeInvisible ? sql`` : sql`and m.visible`;
}

/** The number of messages that an agent wrote and received in conversations of a project, from an index. */
export async function countInConversations(db: Queryable, membership: MembershipKey): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select (select count(*)::int from chat_messages m where m.project_id = ${membership.projectId}
        and m.sender_id = ${membership.agentId} and m.conversation_id is not null)
      + (select count(*)::int from chat_messages m where m.project_id = ${membership.projectId}
        and m.peer_agent_id = ${membership.agentId}) as count`.execute(db);
  return rows[0]?.count ?? 0;
}

/**
 * Messages by id in the order of the ids, as many as fit into PAGE_BYTES, with the agent in whose chat each
 * is; none for messages between agents.
 */
export async function readMessages(
  db: Queryable,
  ids: readonly string[],
): Promise<Map<string, { message: Message; agentId?: string }>> {
  const { rows } = await sql<MessageRow & { agent_id: string }>`
      select ${sql.raw(MESSAGE_COLUMNS)}, m.agent_id
      from (
        select m.*, wanted.place, row_number() over w = 1 or sum(octet_length(m.content)) over w <= ${PAGE_BYTES} as fits
        from unnest(${ids}::text[]) with ordinality as wanted (id, place) join chat_messages m on m.id = wanted.id
        window w as (order by wanted.place)
      ) m ${sql.raw(MESSAGE_SENDER_JOIN)}
      where m.fits order by m.place`.execute(db.withoutPlugins());
  return new Map(
    rows.map((row) => [
      row.id,
      { message: toMessage(row), ...(row.conversation_id === null && { agentId: row.agent_id }) },
    ]),
  );
}

/** Which of these messages are stored. */
export async function storedMessageIds(db: Queryable, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom('chatMessages').select('id').where('id', 'in', ids).execute();
  return new Set(rows.map(({ id }) => id));
}
