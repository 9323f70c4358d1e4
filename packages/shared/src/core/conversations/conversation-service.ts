import type { MessagePage } from '../../contract/chat.ts';
import type {
  Conversation,
  ConversationPage,
  ListConversationMessagesQuery,
  ListConversationsQuery,
} from '../../contract/conversation.ts';
import { AppError } from '../../platform/errors.ts';
import { type Person, requireMember, requireWriter } from '../access/person.ts';
import { pageOfThread } from '../chat/chat-history.ts';
import type { ServiceDeps } from '../deps.ts';
import { lockBothMemberships } from './conversation-change-queries.ts';
import { tickConversation } from './conversation-deadlines.ts';
import { applyConversationEnd } from './conversation-lifecycle.ts';
import { ConversationQueries, type ConversationRecord } from './conversation-queries.ts';
import { isLiveConversation } from './rules/conversation-machine.ts';

/** The conversations between agents as people see them, and how people stop one. */
export class ConversationService {
  readonly #deps: ServiceDeps;

  constructor(deps: ServiceDeps) {
    this.#deps = deps;
  }

  async list(person: Person, projectId: string, query: ListConversationsQuery): Promise<ConversationPage> {
    const { db } = this.#deps.database;
    await requireMember(db, person, projectId);
    const { limit, cursor, state, agentId, taskId } = query;
    const page = await new ConversationQueries(db).list(
      { projectId, state, agentId, taskId },
      { limit, cursor },
      await this.#chainMax(),
    );
    return { conversations: page.rows, nextCursor: page.nextCursor };
  }

  async get(person: Person, id: string): Promise<Conversation> {
    await this.#seen(person, id);
    return this.#view(id);
  }

  async messages(person: Person, id: string, query: ListConversationMessagesQuery): Promise<MessagePage> {
    await this.#seen(person, id);
    return pageOfThread(this.#deps.database.db, id, query);
  }

  /** A person stops it; one that has ended does not change. */
  async stop(person: Person, id: string): Promise<Conversation> {
    const found = await this.#seen(person, id);
    requireWriter(person);
    await this.#deps.database.transaction(async (tx) => {
      await lockBothMemberships(tx.db, found);
      const conversation = await new ConversationQueries(tx.db).lock(id);
      if (!conversation) return;
      const now = await tx.now();
      await applyConversationEnd(tx, conversation, { type: 'stop' }, { now });
    });
    return this.#view(id);
  }

  /** For streams: the first `asked` of these ids in their current state, as many as fit into one answer. */
  async firstByIds(
    ids: readonly string[],
  ): Promise<{ readonly rows: ReadonlyMap<string, Conversation>; readonly asked: number }> {
    const first = await new ConversationQueries(this.#deps.database.db).firstThatFit(ids);
    return { rows: await this.byIds(first), asked: first.length };
  }

  /** The current state of conversations, by id. Unknown ids are absent. */
  async byIds(ids: readonly string[]): Promise<Map<string, Conversation>> {
    return new ConversationQueries(this.#deps.database.db).views(ids, await this.#chainMax());
  }

  /**
   * For a person without access to the project the conversation does not exist. Applies the passage of time
   * too.
   */
  async #seen(person: Person, id: string): Promise<ConversationRecord> {
    const { db } = this.#deps.database;
    const found = await new ConversationQueries(db).find(id);
    if (!found) throw conversationNotFound();
    await requireMember(db, person, found.projectId).catch((error: unknown) => {
      throw error instanceof AppError ? conversationNotFound() : error;
    });
    if (isLiveConversation(found.state)) await tickConversation(this.#deps, id);
    return found;
  }

  async #view(id: string): Promise<Conversation> {
    const view = (await this.byIds([id])).get(id);
    if (!view) throw conversationNotFound();
    return view;
  }

  async #chainMax(): Promise<number> {
    return (await this.#deps.settings.current()).chainMaxMessages;
  }
}

function conversationNotFound(): AppError {
  return new AppError('conversation_not_found', 'There is no such conversation.');
}
