import type { Message } from '../../contract/chat.ts';
import { isUniqueViolation, type Tx } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import type { AgentCaller } from '../access/agent-caller.ts';
import { type ChatTx, chatTransaction } from '../chat/chat-transaction.ts';
import { requireOpen } from '../chat/delivery/agent-input.ts';
import { requireBatch, sameAnswer } from '../chat/delivery/delivery-batches.ts';
import { type DeliveryBatch, lastBatch } from '../chat/delivery/delivery-queries.ts';
import { messageIdTaken } from '../chat/delivery/respond-chat.ts';
import { finishGrowth } from '../chat/steps/growing-answer-queries.ts';
import type { ServiceDeps } from '../deps.ts';
import { type KeptResult, keepResult, keptMessage, keptResult } from '../idempotency/idempotent-results.ts';
import { chatOf } from '../rules/work-key.ts';
import { noteActivity, noteTurnEnd } from '../sessions/activity-queries.ts';
import { notifyMembership } from '../sessions/notify-membership.ts';
import { chatThatTakesWork } from '../sessions/session-lifecycle.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import type { SessionRecord } from '../sessions/session-record.ts';
import { type CountedUsage, countUsage } from '../usage/usage-queries.ts';
import { wake } from '../wake-ups/wake.ts';
import { messagesLeft, type NearLimit, nearestLimit } from './chain-limits.ts';
import { lockBothMemberships, restartWorkedFor } from './conversation-change-queries.ts';
import { conversationTimes } from './conversation-deadlines.ts';
import { applyConversationEnd, dropWakeUp, notifyConversation } from './conversation-lifecycle.ts';
import {
  ConversationQueries,
  type ConversationRecord,
  partnerOf,
  sessionOf,
  sideOf,
} from './conversation-queries.ts';
import { joinConversation } from './conversation-sides.ts';
import { askToGoOn, type ChainStop } from './extend-chain-limit.ts';
import { decideConversation } from './rules/conversation-machine.ts';
import { answerBatch, storeConversationMessage } from './store-conversation-message.ts';

export interface Saying {
  readonly id: string;
  /** The agent has named the id: the answer may have grown under it. */
  readonly isNamed: boolean;
  /** What it cost; undefined: not known. */
  readonly counted: CountedUsage | undefined;
  /** null: read, no answer needed. */
  readonly content: string | null;
  /** Whether the batch counts as answered by this message. */
  readonly answers: boolean;
  /** The batch that it answers; absent: the batch that was given last of this conversation. */
  readonly batchId?: string | undefined;
  readonly tool: 'respond_chat' | 'send_message';
  readonly relatedTaskId?: string | undefined;
  readonly idempotencyKey?: string | undefined;
}

export interface Said {
  readonly message: Message | null;
  readonly answered: number;
  /** Messages that have failed, where the agent said why there is no answer. */
  readonly failed?: number;
  readonly nearLimit?: NearLimit | undefined;
}

/**
 * The result of the transaction: an end that the message caused is committed before the message is refused.
 */
type Outcome =
  | { readonly kept: KeptResult; readonly nearLimit?: NearLimit | undefined }
  | { readonly refused: AppError };

/**
 * Stores a message to the partner of a conversation. A message beyond a limit ends the conversation and is
 * not stored.
 */
export async function sayInConversation(
  deps: ServiceDeps,
  caller: AgentCaller,
  found: ConversationRecord,
  saying: Saying,
): Promise<Said> {
  let outcome: Outcome;
  try {
    outcome = await chatTransaction(deps, (tx) => say(deps, tx, caller, found, saying));
  } catch (error) {
    if (isUniqueViolation(error, 'chat_messages_pkey')) throw messageIdTaken();
    throw error;
  }
  if ('refused' in outcome) throw outcome.refused;
  const { kept, nearLimit } = outcome;
  return {
    message: await keptMessage(deps.database, kept),
    answered: kept.answered,
    ...(nearLimit && { nearLimit }),
  };
}

async function say(
  deps: ServiceDeps,
  tx: ChatTx,
  caller: AgentCaller,
  found: ConversationRecord,
  saying: Saying,
): Promise<Outcome> {
  await lockBothMemberships(tx.db, found);
  const session = await lockActive(tx, caller);
  // The same call, sent twice at the same time: the lock of the session orders them, and the second reads
  // again.
  const first = await keptResult(tx.db, caller, { tool: saying.tool, key: saying.idempotencyKey });
  if (first) return { kept: first };
  const batch = await batchOf(tx, caller, found, saying);
  const said = batch && saying.batchId !== undefined ? await sameAnswer(tx.db, batch, saying.content) : null;
  if (said) return { kept: said };
  const now = await tx.now();
  const conversation = await lockAsMine(tx, found.id, session, now);
  const times = await conversationTimes(deps);
  if (await applyConversationEnd(tx, conversation, { type: 'tick', times }, { now }))
    return { refused: conversationOver('It ended: nothing was said for too long.') };
  const left = await messagesLeft(tx, deps, { ...conversation, agentId: caller.agentId, now });
  const by = sideOf(conversation, caller.agentId) ?? 'participant';
  const isLast = conversation.messageCount >= conversation.maxMessages;
  if (saying.content !== null || isLast) {
    const command = { type: 'send', by, left } as const;
    const decision = decideConversation(conversation, command, now);
    const isSaid = decision.ok && decision.change.to === 'said';
    if (!isSaid) {
      await applyConversationEnd(tx, conversation, command, { now });
      if (saying.content === null) return { kept: { messageId: null, answered: 0 } };
      if (left.chain <= 0) await askToGoOn(tx, deps, stopOf(conversation, caller.agentId), now);
      return { refused: decision.ok ? beyondLimit(isLast) : refusal(decision.refusal) };
    }
  }
  const kept = await store(deps, tx, caller, conversation, { ...saying, batch }, now);
  const spent = saying.content === null ? 0 : 1;
  const nearLimit = nearestLimit(
    { ...conversation, messageCount: conversation.messageCount + spent },
    { chain: left.chain - spent, hour: left.hour - spent },
  );
  return { kept, ...(nearLimit && { nearLimit }) };
}

async function store(
  deps: ServiceDeps,
  tx: ChatTx,
  caller: AgentCaller,
  conversation: ConversationRecord,
  saying: Saying & { batch: DeliveryBatch | null },
  now: Date,
): Promise<KeptResult> {
  const { id, content, relatedTaskId, batch, counted } = saying;
  const { sessionId } = caller;
  const isMessage = content !== null;
  const steps = saying.isNamed ? await stepsOf(tx, caller, { messageId: id, isMessage }) : null;
  if (counted) await countUsage(tx.db, { ...caller, isMessage }, counted);
  const answerId = content === null ? null : id;
  if (content === null && batch)
    await restartWorkedFor(tx.db, { ...caller, id: sessionId }, { now, id: conversation.id });
  const answered = batch ? await answerBatch(tx, conversation, { sessionId, batch, answerId, now }) : 0;
  if (content !== null) {
    const retrievalRunId = batch?.retrievalRunId;
    const message = { id, content, relatedTaskId, senderId: caller.agentId, steps, counted, retrievalRunId };
    await storeConversationMessage(deps, tx, conversation, message, now);
    await wakePartner(tx, conversation, caller.agentId, now);
    // A partner that is away reads it first: the conversation ends when the partner answers.
    const isHeard = sessionOf(conversation, partnerOf(conversation, caller.agentId)) !== null;
    const full = { ...conversation, messageCount: conversation.messageCount + 1 };
    if (isHeard && full.messageCount >= full.maxMessages) {
      // Not before the message that filled it (I-5).
      const filledAt = await tx.now();
      await applyConversationEnd(tx, full, { type: 'filled' }, { now: filledAt });
    }
  }
  const kept = { messageId: content === null ? null : id, answered };
  await keepResult(tx, caller, { tool: saying.tool, key: saying.idempotencyKey }, kept);
  await (answered > 0 ? noteTurnEnd : noteActivity)(tx.db, caller.sessionId, now);
  await notifyMembership(tx, caller);
  await notifyConversation(tx, conversation);
  return kept;
}

/** The steps that were shown while it grew become those of the message. Their number, null: none. */
async function stepsOf(
  tx: Tx,
  { projectId, agentId }: AgentCaller,
  answer: { messageId: string; isMessage: boolean },
): Promise<number | null> {
  const { isTaken, steps } = await finishGrowth(tx.db, { projectId, agentId, ...answer });
  if (isTaken) throw messageIdTaken();
  return steps;
}

/** The batch that this message answers; null: none, or no batch was given yet. The session is locked. */
async function batchOf(
  tx: Tx,
  caller: AgentCaller,
  conversation: ConversationRecord,
  { answers, batchId }: Saying,
): Promise<DeliveryBatch | null> {
  if (batchId === undefined) return answers ? lastBatch(tx.db, caller, conversation.id) : null;
  const batch = await requireBatch(tx.db, caller, batchId);
  if (batch.threadId !== conversation.id) throw batchOfAnotherSource();
  return answers ? batch : null;
}

export function batchOfAnotherSource(): AppError {
  return new AppError(
    'invalid_input',
    'The batch_id and the target name different sources. Give the batch_id alone.',
  );
}

/** Both agents were stopped: their conversation has ended by it. */
function stopOf(conversation: ConversationRecord, agentId: string): ChainStop {
  const { chainId, projectId } = conversation;
  const partnerId = partnerOf(conversation, agentId);
  return { chainId, projectId, agentId, partnerId, waiting: [agentId, partnerId] };
}

async function lockActive(tx: Tx, caller: AgentCaller): Promise<SessionRecord> {
  return requireOpen(await new SessionQueries(tx.db).lockById(caller.sessionId));
}

/**
 * The conversation, locked, with this session on its agent's side: the session takes a side that is free, and
 * may not write for another session of its agent (task and chat stay apart).
 */
export async function lockAsMine(
  tx: Tx,
  id: string,
  session: SessionRecord,
  now: Date,
): Promise<ConversationRecord> {
  const conversations = new ConversationQueries(tx.db);
  const conversation = await conversations.lock(id);
  if (!conversation) throw new Error('a conversation is gone');
  const holder = sessionOf(conversation, session.agentId);
  if (holder === session.id) return conversation;
  if (holder === null && session.state === 'active') {
    // Only this one: where it speaks for a task, the others wait for the chat of its agent.
    if (await joinConversation(tx, conversation, session, now))
      await dropWakeUp(tx, session, 'superseded', now);
    return (await conversations.lock(id)) ?? conversation;
  }
  throw conversationOver('Another session of yours holds this conversation.');
}

/**
 * A message waits for the partner: when no session holds its side, it is woken, unless one of its sessions is
 * about to take the side. For a conversation that never began the wake-up was written by start_conversation.
 */
async function wakePartner(
  tx: Tx,
  conversation: ConversationRecord,
  agentId: string,
  now: Date,
): Promise<void> {
  const partnerId = partnerOf(conversation, agentId);
  if (sessionOf(conversation, partnerId) !== null) return;
  const partner = { projectId: conversation.projectId, agentId: partnerId };
  const open = await new SessionQueries(tx.db).lockOpen(partner.projectId, partner.agentId);
  if (!(await chatThatTakesWork(tx, open, now)))
    await wake(tx, chatOf(partner), { openedBy: null, conversationId: conversation.id, now });
}

export function conversationOver(message: string): AppError {
  return new AppError('no_active_conversation', message);
}

function beyondLimit(isLast: boolean): AppError {
  return isLast
    ? conversationOver(
        'This conversation had all its messages (max_messages): it has ended, your message was not sent. Call get_next_action.',
      )
    : new AppError(
        'chain_limit',
        'Agents have said as much to one another as is allowed here: the conversation has ended, your message was not sent. Call get_next_action.',
      );
}

function refusal(code: string): AppError {
  return code === 'limit_reached'
    ? new AppError(
        'chain_limit',
        'You have said all that this conversation allows before the other agent has come. Call get_next_action.',
      )
    : conversationOver(
        'This conversation has ended. Call get_next_action, or start_conversation for a new one.',
      );
}
