import { publishDelta } from '../changes/delta.ts';
import type { Message } from '../contract/chat.ts';
import type { ConversationRecord } from '../db/repositories/conversation-repository.ts';
import { SessionRepository } from '../db/repositories/session-repository.ts';
import { AppError } from '../errors.ts';
import { newId } from '../ids.ts';
import type { AgentCaller } from './agent-caller.ts';
import { agentText, isMessageId, sessionOver } from './agent-input.ts';
import { ChatHistory } from './chat-history.ts';
import { requireRelatedTask } from './chat-target.ts';
import { chatTransaction, storeMessage } from './chat-transaction.ts';
import { type Said, sayInConversation } from './conversation-say.ts';
import { lastSource, requireConversation, resolveTarget } from './conversation-target.ts';
import { type Delivery, deliverMessages } from './deliver-messages.ts';
import type { ServiceDeps } from './deps.ts';
import { keepResult, keptMessage, keptResult, keyOfAnotherCall } from './idempotent-results.ts';
import { respondInChat } from './respond-chat.ts';
import { nowIn } from './session-lifecycle.ts';

export interface RespondInput {
  readonly content?: string | undefined;
  /** false: more is to come, what was delivered stays unanswered. */
  readonly done?: boolean | undefined;
  readonly targetAgentId?: string | undefined;
  readonly conversationId?: string | undefined;
  /** The id under which the answer was streamed: it becomes the message's. */
  readonly messageId?: string | undefined;
  readonly idempotencyKey?: string | undefined;
}

export interface SendInput {
  readonly targetAgentId?: string | undefined;
  readonly content: string;
  readonly relatedTaskId?: string | undefined;
  readonly conversationId?: string | undefined;
  readonly idempotencyKey?: string | undefined;
}

/** Messages on their way to an agent and its answers on their way back. */
export class DeliveryService {
  readonly #deps: ServiceDeps;

  constructor(deps: ServiceDeps) {
    this.#deps = deps;
  }

  /** What is unread of one source; see deliver-messages.ts. */
  async take(caller: AgentCaller): Promise<Delivery> {
    return deliverMessages(this.#deps.database, caller);
  }

  /** The response that carried them was written to a live connection. Idempotent. */
  async told(sessionId: string, messageIds: readonly string[]): Promise<void> {
    if (messageIds.length === 0) return;
    await this.#deps.database.statement({
      name: 'messages-told',
      text: MESSAGES_TOLD,
      values: [sessionId, messageIds],
    });
  }

  /**
   * Answers everything that was delivered to the session of the source last delivered, or of the one that is named;
   * without content: read, no answer needed. The same idempotency key in the same session gives the first result.
   */
  async respond(caller: AgentCaller, input: RespondInput): Promise<Said> {
    const { database } = this.#deps;
    const first = await keptResult(database.db, caller, input.idempotencyKey);
    if (first) return { message: await keptMessage(database, first), answered: first.answered };
    const isNamed = input.targetAgentId !== undefined || input.conversationId !== undefined;
    const named = isNamed ? await resolveTarget(this.#deps, caller, input) : 'chat';
    const answer = answerOf(input);
    if (named !== 'chat') return this.#sayTo(caller, named, answer);
    const said = await respondInChat(this.#deps, caller, { ...answer, onlyIfLast: !isNamed });
    if (said !== null) return said;
    const source = isNamed ? null : await lastSource(database.db, caller);
    if (source === null) throw sessionOver();
    return this.#sayTo(caller, source, answer);
  }

  /** A message that answers nothing in particular: to a person of the project, or in a conversation to an agent. */
  async send(caller: AgentCaller, input: SendInput): Promise<Said & { message: Message }> {
    const first = await keptResult(this.#deps.database.db, caller, input.idempotencyKey);
    if (first) return { message: await this.#kept(first), answered: first.answered };
    const content = agentText(input.content);
    const target = await resolveTarget(this.#deps, caller, input);
    if (input.relatedTaskId !== undefined)
      await requireRelatedTask(this.#deps.database.db, caller.projectId, input.relatedTaskId);
    if (target === 'chat') return this.#sendToPerson(caller, { ...input, content });
    const { relatedTaskId, idempotencyKey } = input;
    const saying = { id: newId('msg'), content, answers: true, relatedTaskId, idempotencyKey };
    const said = await sayInConversation(this.#deps, caller, target, { ...saying, tool: 'send_message' });
    if (said.message === null) throw keyOfAnotherCall();
    return { ...said, message: said.message };
  }

  /** Shows what an answer has become so far; nothing is stored. Ignored while the session holds nothing. */
  async reportDelta(
    caller: AgentCaller,
    delta: { messageId: string; text: string; offset: number },
  ): Promise<void> {
    if (!caller.live || !isMessageId(delta.messageId)) return;
    await publishDelta(this.#deps.database.pool, {
      projectId: caller.projectId,
      agentId: caller.agentId,
      ...delta,
    });
  }

  async #sayTo(
    caller: AgentCaller,
    conversation: ConversationRecord | string,
    answer: ReturnType<typeof answerOf>,
  ): Promise<Said> {
    const found =
      typeof conversation === 'string'
        ? await requireConversation(this.#deps.database.db, caller, conversation)
        : conversation;
    return sayInConversation(this.#deps, caller, found, { ...answer, tool: 'respond_chat' });
  }

  async #sendToPerson(caller: AgentCaller, input: SendInput): Promise<Said & { message: Message }> {
    const id = newId('msg');
    const earlier = await chatTransaction(this.#deps, async (tx) => {
      const session = await new SessionRepository(tx.db).lockById(caller.sessionId);
      if (!session || session.state === 'ended') throw sessionOver();
      // The same call, sent twice at once: the session's lock puts them in a row, and the second looks again.
      const first = await keptResult(tx.db, caller, input.idempotencyKey);
      if (first) return first;
      await storeMessage(tx, {
        id,
        projectId: caller.projectId,
        agentId: caller.agentId,
        sender: 'agent',
        senderId: caller.agentId,
        receiverId: input.targetAgentId,
        content: input.content,
        visible: true,
        relatedTaskId: input.relatedTaskId,
      });
      await tx.db
        .updateTable('agentSessions')
        .set({ lastActivityAt: await nowIn(tx, this.#deps.clock) })
        .where('id', '=', caller.sessionId)
        .execute();
      const result = { messageId: id, answered: 0 };
      await keepResult(tx, caller, input.idempotencyKey, { tool: 'send_message', result });
      return null;
    });
    const message = earlier ? await this.#kept(earlier) : await this.#message(id);
    return { message, answered: 0 };
  }

  async #kept(first: { messageId: string | null }): Promise<Message> {
    if (first.messageId === null) throw keyOfAnotherCall();
    return this.#message(first.messageId);
  }

  async #message(id: string): Promise<Message> {
    const message = (await new ChatHistory(this.#deps).byIds([id])).get(id);
    if (!message) throw new Error('a stored message is gone');
    return message;
  }
}

/** By the session, for which there is an index of what it holds. */
const MESSAGES_TOLD = `
  update chat_messages set told_at = clock_timestamp()
  where delivered_session_id = $1 and state = 'delivered' and told_at is null and id = any($2::text[])`;

function answerOf(input: RespondInput) {
  const content = input.content === undefined ? null : agentText(input.content);
  if (input.messageId !== undefined && !isMessageId(input.messageId))
    throw new AppError('invalid_input', 'message_id is msg_ and 20 characters of a–z and 0–9.');
  if (content === null && input.done === false)
    throw new AppError(
      'invalid_input',
      'Give content, or leave done out: there is nothing to say otherwise.',
    );
  return {
    id: input.messageId ?? newId('msg'),
    content,
    answers: input.done !== false,
    idempotencyKey: input.idempotencyKey,
  };
}
