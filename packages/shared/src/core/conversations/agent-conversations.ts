import type { Message, MessagePage, StartChatResult } from '../../contract/chat.ts';
import type { Conversation } from '../../contract/conversation.ts';
import { AppError } from '../../platform/errors.ts';
import type { AgentCaller } from '../access/agent-caller.ts';
import { pageOfThread } from '../chat/chat-history.ts';
import type { ServiceDeps } from '../deps.ts';
import { keptMessage } from '../idempotency/idempotent-results.ts';
import type { ConversationNotice } from '../sessions/rules/next-action.ts';
import type { NearLimit } from './chain-limits.ts';
import { type OfferedNotice, offerNotice } from './conversation-notices.ts';
import { ConversationQueries, type ConversationRecord } from './conversation-queries.ts';
import { type EndConversationInput, endConversation } from './end-conversation.ts';
import { findConversation } from './find-conversation.ts';
import type { TargetInput } from './resolve-target.ts';
import { participantWarning, type StartConversationInput, startConversation } from './start-conversation.ts';

export interface StartedConversation {
  readonly conversation: Conversation;
  readonly message: Message | null;
  readonly warning?: StartChatResult['warning'];
  readonly nearLimit?: NearLimit | undefined;
}

/** The actions of agents in their conversations, and the notices for them. */
export class AgentConversations {
  readonly #deps: ServiceDeps;

  constructor(deps: ServiceDeps) {
    this.#deps = deps;
  }

  async start(caller: AgentCaller, input: StartConversationInput): Promise<StartedConversation> {
    const { kept, nearLimit } = await startConversation(this.#deps, caller, input);
    const conversation = await this.#view(kept.conversationId);
    const warning = await participantWarning(this.#deps, conversation.participantAgentId);
    return {
      conversation,
      message: await keptMessage(this.#deps.database, kept),
      ...(warning && { warning }),
      ...(nearLimit && { nearLimit }),
    };
  }

  /** Ends it for both agents; when it has ended already, the result is the same and acknowledges the end. */
  async end(caller: AgentCaller, input: EndConversationInput): Promise<Conversation> {
    return this.#view(await endConversation(this.#deps, caller, input));
  }

  /** The messages of one of the caller's conversations, each page oldest first. */
  async messages(
    caller: AgentCaller,
    input: TargetInput & {
      after?: string | undefined;
      before?: string | undefined;
      limit?: number | undefined;
    },
  ): Promise<MessagePage & { conversation: Conversation }> {
    if (input.after !== undefined && input.before !== undefined)
      throw new AppError('invalid_input', 'Give after or before, not both.');
    const { db } = this.#deps.database;
    const found: ConversationRecord = await findConversation(db, caller, input, 'any');
    const page = await pageOfThread(db, found.id, { ...input, limit: input.limit ?? 50 });
    return { ...page, conversation: await this.#view(found.id) };
  }

  /** The current notice for the session about a conversation; null when it does not apply any more. */
  async offer(caller: AgentCaller, notice: ConversationNotice): Promise<OfferedNotice | null> {
    return offerNotice(this.#deps, caller, notice);
  }

  async #view(id: string): Promise<Conversation> {
    const { chainMaxMessages } = await this.#deps.settings.current();
    const views = await new ConversationQueries(this.#deps.database.db).views([id], chainMaxMessages);
    const view = views.get(id);
    if (!view) throw new Error('a conversation is gone');
    return view;
  }
}
