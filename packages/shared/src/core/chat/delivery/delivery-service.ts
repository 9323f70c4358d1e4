import type { Message } from '../../../contract/chat.ts';
import type { Usage } from '../../../contract/usage.ts';
import { publishDelta } from '../../../platform/change-log/delta.ts';
import { AppError } from '../../../platform/errors.ts';
import { newId } from '../../../platform/ids.ts';
import type { AgentCaller } from '../../access/agent-caller.ts';
import type { ConversationRecord } from '../../conversations/conversation-queries.ts';
import { lastSource, requireConversation, resolveTarget } from '../../conversations/resolve-target.ts';
import {
  batchOfAnotherSource,
  type Said,
  sayInConversation,
} from '../../conversations/say-in-conversation.ts';
import type { ServiceDeps } from '../../deps.ts';
import { resumeFolderStarts } from '../../folders/folder-waits.ts';
import { keepResult, keptMessage, keptResult } from '../../idempotency/idempotent-results.ts';
import { mentionedPeople, storeMentions } from '../../mentions/mentioned.ts';
import { noteActivity } from '../../sessions/activity-queries.ts';
import { SessionQueries } from '../../sessions/session-queries.ts';
import { countedNow } from '../../usage/usage-service.ts';
import { ChatHistory } from '../chat-history.ts';
import { requireRelatedTask } from '../chat-target.ts';
import { chatTransaction, storeMessage } from '../chat-transaction.ts';
import { byteQuota, requireWithinQuota } from '../quota/byte-quota.ts';
import { failHeldForQuota, isQuotaReached } from '../quota/quota-failure.ts';
import { chatThreadId } from '../thread-id.ts';
import { agentText, isMessageId, requireMessageId, requireOpen, sessionOver } from './agent-input.ts';
import { type Delivery, deliverMessages } from './deliver-messages.ts';
import { requireBatch } from './delivery-batches.ts';
import { countOffer, setRetrieval } from './delivery-queries.ts';
import { failTurn } from './fail-turn.ts';
import { respondInChat } from './respond-chat.ts';

export interface RespondInput {
  readonly content?: string | undefined;
  /** false: more pieces follow, delivered messages stay unanswered. */
  readonly done?: boolean | undefined;
  readonly targetAgentId?: string | undefined;
  readonly conversationId?: string | undefined;
  /** The batch of get_pending_messages that this answers; it answers these messages only. */
  readonly batchId?: string | undefined;
  /**
   * The id under which the answer was shown while it grew: it becomes the id of the message. Without content, what was
   * shown is discarded.
   */
  readonly messageId?: string | undefined;
  /** In place of content, in the chat with people: why there is no answer. */
  readonly failure?: string | undefined;
  /** What the answer cost: counted once, with the answer. */
  readonly usage?: Usage | undefined;
  readonly model?: string | undefined;
  readonly idempotencyKey?: string | undefined;
}

export interface SendInput {
  readonly targetAgentId?: string | undefined;
  readonly content: string;
  readonly relatedTaskId?: string | undefined;
  readonly conversationId?: string | undefined;
  readonly idempotencyKey?: string | undefined;
}

/** Delivers messages to agents and stores their answers. */
export class DeliveryService {
  readonly #deps: ServiceDeps;

  constructor(deps: ServiceDeps) {
    this.#deps = deps;
  }

  /** The unread messages of one source; see deliver-messages.ts. */
  async take(caller: AgentCaller): Promise<Delivery> {
    return deliverMessages(this.#deps, caller);
  }

  /** Records that get_next_action told the session to fetch again what it holds. Not idempotent. */
  async offeredAgain(sessionId: string): Promise<void> {
    await countOffer(this.#deps.database.db, sessionId);
  }

  /**
   * Records what was recalled for what the session holds unanswered: for this batch, else for the one that it was given
   * last. Its answer carries the run.
   */
  async noteRetrieval(caller: AgentCaller, retrieval: { runId: string; batchId?: string }): Promise<void> {
    await setRetrieval(this.#deps.database.db, caller, retrieval);
  }

  /**
   * Answers what the session still holds of the named batch, else of the batch that was given last: of the
   * named source, else of the last source. Without content: read, no answer needed. The same idempotency key
   * in the same session returns the first result, and so does the same text about the same named batch.
   */
  async respond(caller: AgentCaller, input: RespondInput): Promise<Said> {
    const said =
      input.failure === undefined
        ? await this.#respond(caller, input)
        : await this.#fail(caller, input, input.failure);
    await this.#giveFolderBack(caller, said);
    return said;
  }

  async #fail(caller: AgentCaller, input: RespondInput, reason: string): Promise<Said> {
    if (input.content !== undefined || input.done === false || input.conversationId !== undefined)
      throw new AppError(
        'invalid_input',
        'failure stands in place of an answer to people: without content, done: false and conversation_id.',
      );
    const { batchId, idempotencyKey, messageId } = input;
    requireMessageId(messageId);
    await this.#requireChat(caller, input);
    const counted = countedNow(this.#deps, input);
    const first = await failTurn(this.#deps, caller, {
      reason,
      batchId,
      messageId,
      counted,
      idempotencyKey,
    });
    const message = await keptMessage(this.#deps.database, first);
    return { message, answered: first.answered, failed: first.failed ?? 0 };
  }

  /** Of the source that was given last, a call means the chat only when it says so. */
  async #requireChat(caller: AgentCaller, input: RespondInput): Promise<void> {
    if (input.targetAgentId !== undefined) {
      if ((await resolveTarget(this.#deps, caller, input)) !== 'chat') throw onlyToPeople();
    } else if (input.batchId === undefined) {
      const source = await lastSource(this.#deps.database.db, caller);
      if (source !== null && source !== 'chat') throw onlyToPeople();
    }
  }

  async #respond(caller: AgentCaller, input: RespondInput): Promise<Said> {
    const { database } = this.#deps;
    const call = { tool: 'respond_chat', key: input.idempotencyKey } as const;
    const first = await keptResult(database.db, caller, call);
    if (first) return { message: await keptMessage(database, first), answered: first.answered };
    const isNamed = input.targetAgentId !== undefined || input.conversationId !== undefined;
    const named = isNamed ? await resolveTarget(this.#deps, caller, input) : 'chat';
    const answer = answerOf(this.#deps, input);
    if (named !== 'chat') return this.#sayTo(caller, named, answer);
    const onlyIfLast = !isNamed && input.batchId === undefined;
    const said = await respondInChat(this.#deps, caller, { ...answer, onlyIfLast });
    return said ?? this.#respondElsewhere(caller, answer, { isNamed });
  }

  /**
   * No message was stored in the chat: the session is over, or the batch or the last source is a
   * conversation.
   */
  async #respondElsewhere(
    caller: AgentCaller,
    answer: ReturnType<typeof answerOf>,
    { isNamed }: { isNamed: boolean },
  ): Promise<Said> {
    const { db } = this.#deps.database;
    const source = await lastSource(db, caller);
    if (source === null) throw sessionOver();
    if (answer.batchId === undefined) {
      // Between the two statements the session has ended or was given messages of the chat.
      if (isNamed || source === 'chat') throw sessionOver();
      return this.#sayTo(caller, source, answer);
    }
    const { threadId } = await requireBatch(db, caller, answer.batchId);
    if (isNamed || threadId === chatThreadId(caller.projectId, caller.agentId)) throw batchOfAnotherSource();
    return this.#sayTo(caller, threadId, answer);
  }

  /** A message that answers no batch: to a person of the project, or in a conversation to an agent. */
  async send(caller: AgentCaller, input: SendInput): Promise<Said & { message: Message }> {
    const call = { tool: 'send_message', key: input.idempotencyKey } as const;
    const first = await keptResult(this.#deps.database.db, caller, call);
    if (first) return { message: await this.#kept(first), answered: first.answered };
    const content = agentText(input.content);
    const target = await resolveTarget(this.#deps, caller, input);
    if (input.relatedTaskId !== undefined)
      await requireRelatedTask(this.#deps.database.db, caller.projectId, input.relatedTaskId);
    if (target === 'chat') return this.#sendToPerson(caller, { ...input, content });
    const { relatedTaskId, idempotencyKey } = input;
    const saying = {
      id: newId('msg'),
      isNamed: false,
      counted: undefined,
      content,
      answers: true,
      relatedTaskId,
      idempotencyKey,
    };
    const said = await sayInConversation(this.#deps, caller, target, { ...saying, tool: 'send_message' });
    await this.#giveFolderBack(caller, said);
    if (said.message === null) throw new Error('a word to a partner has no message');
    return { ...said, message: said.message };
  }

  /** Its work in the folder of the project is at rest. */
  async #giveFolderBack(
    { sharesFolder, projectId }: AgentCaller,
    { answered, failed = 0 }: Said,
  ): Promise<void> {
    if (sharesFolder && answered + failed > 0)
      await this.#deps.database.transaction((tx) => resumeFolderStarts(tx, projectId));
  }

  /** Shows the partial answer; nothing is stored. Ignored while the session holds nothing. */
  async reportDelta(
    caller: AgentCaller,
    delta: { messageId: string; text: string; offset: number },
  ): Promise<void> {
    if (!caller.live || !isMessageId(delta.messageId)) return;
    await publishDelta(this.#deps.database.pool, {
      projectId: caller.projectId,
      agentId: caller.agentId,
      ...(caller.purpose === 'task' && { taskId: caller.taskId }),
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
    const quota = await byteQuota(this.#deps);
    const earlier = await chatTransaction(this.#deps, async (tx) => {
      requireOpen(await new SessionQueries(tx.db).lockById(caller.sessionId));
      // The same call, sent twice at the same time: the lock of the session orders them, and the second reads
      // again.
      const call = { tool: 'send_message', key: input.idempotencyKey } as const;
      const first = await keptResult(tx.db, caller, call);
      if (first) return first;
      const { saidBytes } = await storeMessage(tx, {
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
      requireWithinQuota(this.#deps, caller, { bytes: saidBytes, quota });
      const { projectId } = caller;
      const humanIds = await mentionedPeople(tx.db, { projectId, content: input.content });
      await storeMentions(tx, { projectId, messageId: id, humanIds });
      await noteActivity(tx.db, caller.sessionId, await tx.now());
      const result = { messageId: id, answered: 0 };
      await keepResult(tx, caller, call, result);
      return null;
    }).catch(async (error: unknown) => {
      throw isQuotaReached(error) ? await failHeldForQuota(this.#deps, caller) : error;
    });
    const message = earlier ? await this.#kept(earlier) : await this.#message(id);
    return { message, answered: 0 };
  }

  async #kept(first: { messageId: string | null }): Promise<Message> {
    if (first.messageId === null) throw new Error('a kept send_message has no message');
    return this.#message(first.messageId);
  }

  async #message(id: string): Promise<Message> {
    const message = (await new ChatHistory(this.#deps).byIds([id])).get(id);
    if (!message) throw new Error('a stored message is gone');
    return message;
  }
}

function onlyToPeople(): AppError {
  return new AppError(
    'invalid_input',
    'failure is for the chat with people. Tell the agent of a conversation with content.',
  );
}

function answerOf(deps: ServiceDeps, input: RespondInput) {
  const content = input.content === undefined ? null : agentText(input.content);
  requireMessageId(input.messageId);
  // Usage alone: of work that came to no answer.
  if (content === null && input.done === false && input.usage === undefined)
    throw new AppError(
      'invalid_input',
      'Give content, or leave done out: there is nothing to say otherwise.',
    );
  return {
    id: input.messageId ?? newId('msg'),
    isNamed: input.messageId !== undefined,
    counted: countedNow(deps, input),
    content,
    answers: input.done !== false,
    batchId: input.batchId,
    idempotencyKey: input.idempotencyKey,
  };
}
