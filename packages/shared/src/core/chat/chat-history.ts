import type { Message, MessagePage } from '../../contract/chat.ts';
import { appendChangeEvents } from '../../platform/change-log/change-log.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import { type Person, requireMember } from '../access/person.ts';
import type { ServiceDeps } from '../deps.ts';
import type { MembershipKey } from '../rules/work-key.ts';
import { requireChatTarget } from './chat-target.ts';
import {
  countInConversations,
  findPosition,
  type HistoryPage,
  readHistory,
  readMessages,
  type Source,
  storedMessageIds,
  threadSources,
  transcriptSources,
} from './history-queries.ts';
import { countMessages } from './message-queries.ts';
import { chatThreadId } from './thread-id.ts';
import { moveReadMark, unreadCounts } from './unread-queries.ts';

export interface ListMessagesInput extends MembershipKey {
  readonly after?: string | undefined;
  readonly before?: string | undefined;
  readonly limit: number;
  readonly includeInvisible?: boolean | undefined;
  readonly includeConversations?: boolean | undefined;
}

/** The stored messages: pages of a thread, single messages for streams, and the read marks of people. */
export class ChatHistory {
  readonly #deps: Pick<ServiceDeps, 'database'>;

  constructor(deps: Pick<ServiceDeps, 'database'>) {
    this.#deps = deps;
  }

  /**
   * One page, oldest first: the messages after a given one, those directly before one, or the newest;
   * `hasMore` says whether there are more in that direction. An unknown message id is `message_not_found`;
   * invisible messages are for owners.
   */
  async list(person: Person, input: ListMessagesInput): Promise<MessagePage> {
    const { db } = this.#deps.database;
    await requireChatTarget(db, person, input, 'reads');
    if (input.includeInvisible && person.accessLevel !== 'owner')
      throw new AppError('forbidden', 'Only owners see invisible messages.');
    if (input.includeConversations) return pageOfTranscript(db, input, input);
    return pageOfThread(db, chatThreadId(input.projectId, input.agentId), input);
  }

  /** Messages in their current state, by id; for results. Ids that `withAgents` leaves out are absent. */
  async byIds(ids: readonly string[]): Promise<Map<string, Message>> {
    const found = await this.withAgents(ids);
    return new Map([...found].map(([id, { message }]) => [id, message]));
  }

  /**
   * The same for streams, with the agent in whose chat each message is; none for messages between agents.
   * Unknown ids are absent, and so are messages that do not fit into one answer: request those after the last
   * returned one again.
   */
  async withAgents(ids: readonly string[]): Promise<Map<string, { message: Message; agentId?: string }>> {
    if (ids.length === 0) return new Map();
    return readMessages(this.#deps.database.db, ids);
  }

  /** Which of these are stored. */
  async stored(ids: readonly string[]): Promise<ReadonlySet<string>> {
    return storedMessageIds(this.#deps.database.db, ids);
  }

  /** Marks everything up to a message as read; never moves backwards. */
  async markRead(
    person: Person,
    input: MembershipKey & { upToMessageId: string },
  ): Promise<{ unread: number }> {
    await requireChatTarget(this.#deps.database.db, person, input, 'reads');
    const thread = chatThreadId(input.projectId, input.agentId);
    return this.#deps.database.transaction(async (tx) => {
      const unread = await moveReadMark(tx.db, { humanId: person.id, thread, upTo: input.upToMessageId });
      if (unread === undefined)
        throw new AppError('message_not_found', 'There is no such message in this chat.');
      await appendChangeEvents(tx, [
        { kind: 'unread', projectId: input.projectId, ref: { humanId: person.id } },
      ]);
      return { unread };
    });
  }

  /** The unread messages of this person, by agent; messages that a person wrote do not count. */
  async unreadCounts(person: Person, projectId: string): Promise<{ counts: Record<string, number> }> {
    await requireMember(this.#deps.database.db, person, projectId);
    const rows = await unreadCounts(this.#deps.database.db, { humanId: person.id, projectId });
    return { counts: Object.fromEntries(rows.map((row) => [row.agentId, row.unread])) };
  }
}

/** One page of a thread by its `seq`, oldest first. */
export async function pageOfThread(db: Queryable, threadId: string, page: HistoryPage): Promise<MessagePage> {
  const [messages, totalCount] = await Promise.all([
    readPage(db, threadSources(threadId), page),
    countMessages(db, threadId, { invisible: page.includeInvisible }),
  ]);
  return { ...messages, totalCount };
}

/**
 * One page of everything that an agent wrote and received in a project, its conversations included. Threads
 * count apart; the lines of its transcript give the common order.
 */
async function pageOfTranscript(
  db: Queryable,
  membership: MembershipKey,
  page: HistoryPage,
): Promise<MessagePage> {
  const [messages, totalCount] = await Promise.all([
    readPage(db, transcriptSources(membership), page),
    countTranscript(db, membership, page),
  ]);
  return { ...messages, totalCount };
}

/** The chat by its counter; conversations by a count in an index. */
async function countTranscript(db: Queryable, membership: MembershipKey, page: HistoryPage): Promise<number> {
  const inConversations = await countInConversations(db, membership);
  const thread = chatThreadId(membership.projectId, membership.agentId);
  return inConversations + (await countMessages(db, thread, { invisible: page.includeInvisible }));
}

/** @throws AppError message_not_found when the page names a message that is not in these sources. */
async function readPage(
  db: Queryable,
  sources: readonly Source[],
  page: HistoryPage,
): Promise<Omit<MessagePage, 'totalCount'>> {
  const edgeId = page.after ?? page.before;
  const edge = edgeId === undefined ? 0 : await findPosition(db, sources, edgeId);
  if (edge === undefined) throw new AppError('message_not_found', 'There is no such message in this chat.');
  return readHistory(db, sources, page, edge);
}
