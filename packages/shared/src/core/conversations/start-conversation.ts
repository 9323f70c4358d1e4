import type { StartChatResult } from '../../contract/chat.ts';
import { CONVERSATION_MESSAGES, MAX_PURPOSE } from '../../contract/conversation.ts';
import { textSchema } from '../../contract/ids.ts';
import { isUniqueViolation, type Queryable } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { AgentCaller } from '../access/agent-caller.ts';
import { type ChatTx, chatTransaction } from '../chat/chat-transaction.ts';
import { agentText, sessionOver } from '../chat/delivery/agent-input.ts';
import { isCoordinatorAlive } from '../coordinators/coordinator-alive.ts';
import { hasPasskey } from '../credentials/passkey-queries.ts';
import type { ServiceDeps } from '../deps.ts';
import { type KeptResult, keepResult, keptResult } from '../idempotency/idempotent-results.ts';
import { chatOf } from '../rules/work-key.ts';
import { noteActivity } from '../sessions/activity-queries.ts';
import { chatThatTakesWork } from '../sessions/session-lifecycle.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import { wake } from '../wake-ups/wake.ts';
import { messagesLeft, type NearLimit, nearestLimit } from './chain-limits.ts';
import { insertChain, lockChainOfSession, setChainOfSession } from './chain-queries.ts';
import {
  findTarget,
  insertConversation,
  insertThread,
  lockBothMemberships,
} from './conversation-change-queries.ts';
import { conversationTimes } from './conversation-deadlines.ts';
import { applyConversationEnd, notifyConversation } from './conversation-lifecycle.ts';
import { ConversationQueries, type ConversationRecord } from './conversation-queries.ts';
import { askToGoOn } from './extend-chain-limit.ts';
import type { MessagesLeft } from './rules/conversation-machine.ts';
import { storeConversationMessage } from './store-conversation-message.ts';

export interface StartConversationInput {
  readonly targetAgentId: string;
  readonly purpose?: string | undefined;
  readonly initialMessage?: string | undefined;
  readonly maxMessages?: number | undefined;
  readonly idempotencyKey?: string | undefined;
}

export interface Started {
  readonly kept: KeptResult & { readonly conversationId: string };
  readonly nearLimit?: NearLimit | undefined;
}

const purposeSchema = textSchema(0, MAX_PURPOSE);

/**
 * Opens a conversation: it waits for the other agent. A wake-up for that agent is always written (A1 of
 * UC016); a session that already runs takes it at its next action. The refusals are checked in the order in which
 * they stand here.
 */
export async function startConversation(
  deps: ServiceDeps,
  caller: AgentCaller,
  input: StartConversationInput,
): Promise<Started> {
  const purpose = purposeOf(input.purpose);
  const content =
    input.initialMessage === undefined ? null : agentText(input.initialMessage, 'initial_message');
  const participantAgentId = input.targetAgentId;
  await requirePartner(deps.database.db, caller, participantAgentId);
  const wanted = { ...input, purpose, content, participantAgentId };
  try {
    const opened = await chatTransaction(deps, (tx) => open(deps, tx, caller, wanted));
    if ('refused' in opened) throw opened.refused;
    return opened;
  } catch (error) {
    // The index decides, whichever agent began it (I-3).
    if (isUniqueViolation(error, 'conversations_live_pair_key')) throw alreadyActive(null);
    throw error;
  }
}

/** Why the participant may not join, as far as this is known now. */
export async function participantWarning(
  deps: Pick<ServiceDeps, 'database' | 'clock'>,
  participantAgentId: string,
): Promise<StartChatResult['warning']> {
  const { db } = deps.database;
  if (!(await hasPasskey(db, participantAgentId))) return 'no_credential';
  return (await isCoordinatorAlive(db, deps.clock.now())) ? undefined : 'no_coordinator';
}

function purposeOf(text: string | undefined): string | null {
  if (text === undefined) return null;
  const parsed = purposeSchema.safeParse(text);
  if (!parsed.success)
    throw new AppError('invalid_input', `purpose: ${parsed.error.issues[0]?.message ?? 'not a text'}.`);
  return parsed.data === '' ? null : parsed.data;
}

async function requirePartner(db: Queryable, caller: AgentCaller, agentId: string): Promise<void> {
  if (agentId === caller.agentId)
    throw new AppError('cannot_conversation_with_self', 'A conversation needs another agent than yourself.');
  const target =
    agentId === 'user' ? { type: 'human', memberId: null } : await findTarget(db, caller.projectId, agentId);
  if (!target)
    throw new AppError('agent_not_found', 'There is no such agent. list_project_agents names them.');
  if (target.type === 'human')
    throw new AppError(
      'cannot_start_conversation_with_human',
      'This is a person. Answer with respond_chat, or write first with send_message to "user".',
    );
  if (target.memberId === null) throw notInProject();
}

async function open(
  deps: ServiceDeps,
  tx: ChatTx,
  caller: AgentCaller,
  wanted: {
    participantAgentId: string;
    purpose: string | null;
    content: string | null;
    maxMessages?: number | undefined;
    idempotencyKey?: string | undefined;
  },
): Promise<Started | { readonly refused: AppError }> {
  const { projectId, agentId: initiatorAgentId } = caller;
  const { participantAgentId } = wanted;
  const participant = { projectId, agentId: participantAgentId };
  if ((await lockBothMemberships(tx.db, { projectId, initiatorAgentId, participantAgentId })) < 2)
    throw notInProject();
  const starter = await lockChainOfSession(tx.db, caller.sessionId);
  if (starter?.state !== 'active') throw sessionOver();
  const chainOf = starter.chainId;
  const call = { tool: 'start_conversation', key: wanted.idempotencyKey } as const;
  const first = await keptResult(tx.db, caller, call);
  if (first?.conversationId !== undefined)
    return { kept: { ...first, conversationId: first.conversationId } };
  const now = await tx.now();
  await requireNoneLive(deps, tx, { projectId, initiatorAgentId, participantAgentId, now });
  const left = await messagesLeft(tx, deps, { chainId: chainOf, projectId, agentId: initiatorAgentId, now });
  if (left.chain <= 0 || left.hour <= 0) {
    // Committed, then refused: people are asked although no conversation was started.
    if (left.chain <= 0 && chainOf !== null) {
      const between = { agentId: initiatorAgentId, partnerId: participantAgentId };
      await askToGoOn(
        tx,
        deps,
        { chainId: chainOf, projectId, ...between, waiting: [initiatorAgentId] },
        now,
      );
    }
    return { refused: chainLimit(left) };
  }
  const id = newId('conv');
  const chainId = chainOf ?? id;
  const conversation = await makeConversation(tx, { id, chainId, caller, wanted, now });
  if (chainOf === null) await setChainOfSession(tx.db, caller.sessionId, chainId);
  const messageId = wanted.content === null ? null : newId('msg');
  if (wanted.content !== null && messageId !== null) {
    const message = { id: messageId, senderId: initiatorAgentId, content: wanted.content };
    await storeConversationMessage(deps, tx, conversation, message, now);
  }
  await wakeParticipant(tx, participant, id, now);
  const kept = { messageId, answered: 0, conversationId: id };
  await keepResult(tx, caller, call, kept);
  await noteActivity(tx.db, caller.sessionId, now);
  await notifyConversation(tx, conversation);
  const spent = messageId === null ? 0 : 1;
  const nearLimit = nearestLimit(
    { ...conversation, messageCount: spent },
    { chain: left.chain - spent, hour: left.hour - spent },
  );
  return { kept, ...(nearLimit && { nearLimit }) };
}

/**
 * Trap 3: whichever agent began it. A conversation whose time is over ends here and does not prevent a new
 * one.
 */
async function requireNoneLive(
  deps: ServiceDeps,
  tx: ChatTx,
  of: { projectId: string; initiatorAgentId: string; participantAgentId: string; now: Date },
): Promise<void> {
  const conversations = new ConversationQueries(tx.db);
  const found = await conversations.liveBetween(of.projectId, of.initiatorAgentId, of.participantAgentId);
  const live = found && (await conversations.lock(found.id));
  if (!live) return;
  const times = await conversationTimes(deps);
  if (await applyConversationEnd(tx, live, { type: 'tick', times }, of)) return;
  throw alreadyActive(live.id);
}

async function makeConversation(
  tx: ChatTx,
  of: {
    id: string;
    chainId: string;
    caller: AgentCaller;
    wanted: { participantAgentId: string; purpose: string | null; maxMessages?: number | undefined };
    now: Date;
  },
): Promise<ConversationRecord> {
  const { id, chainId, caller, wanted, now } = of;
  const { projectId } = caller;
  await insertChain(tx.db, { id: chainId, projectId });
  await insertConversation(tx.db, {
    id,
    projectId,
    chainId,
    initiatorAgentId: caller.agentId,
    participantAgentId: wanted.participantAgentId,
    initiatorSessionId: caller.sessionId,
    purpose: wanted.purpose,
    taskId: caller.purpose === 'task' ? caller.taskId : null,
    maxMessages: wanted.maxMessages ?? CONVERSATION_MESSAGES.default,
    now,
  });
  await insertThread(tx.db, { conversationId: id, projectId, agentId: caller.agentId });
  const conversation = await new ConversationQueries(tx.db).lock(id);
  if (!conversation) throw new Error('a new conversation is gone');
  return conversation;
}

async function wakeParticipant(
  tx: ChatTx,
  participant: { projectId: string; agentId: string },
  conversationId: string,
  now: Date,
): Promise<void> {
  const open = await new SessionQueries(tx.db).lockOpen(participant.projectId, participant.agentId);
  await chatThatTakesWork(tx, open, now);
  await wake(tx, chatOf(participant), { openedBy: null, conversationId, now });
}

function notInProject(): AppError {
  return new AppError(
    'target_agent_not_in_project',
    'This agent is not in your project. list_project_agents names those that are.',
  );
}

function alreadyActive(conversationId: string | null): AppError {
  return new AppError(
    'conversation_already_active',
    'You two are in a conversation already. Use send_message, or end_conversation first.',
    conversationId === null ? {} : { details: { conversation_id: conversationId } },
  );
}

function chainLimit(left: MessagesLeft): AppError {
  return new AppError(
    'chain_limit',
    left.chain <= 0
      ? 'Agents have said as much to one another as is allowed without a person, who is asked whether they may go on. Go on with what you have.'
      : 'You have sent as many messages to agents as is allowed in an hour. Go on with what you have, or try later.',
    { details: { limit: left.chain <= 0 ? 'chain' : 'hour' } },
  );
}
