import type { Queryable } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import type { AgentCaller } from '../access/agent-caller.ts';
import {
  ConversationQueries,
  type ConversationRecord,
  partnerOf,
  sessionOf,
} from './conversation-queries.ts';
import { requireConversation, type TargetInput } from './resolve-target.ts';

/**
 * Which of its conversations the session means: the named one, the one with the named agent, or its only one.
 * `live`: without a name it means one that it believes to be live: whose side it holds, or whose end it has not
 * acknowledged. `any`: one that waits for it, or else the last ended one.
 */
export async function findConversation(
  db: Queryable,
  caller: AgentCaller,
  input: TargetInput,
  meant: 'live' | 'any',
): Promise<ConversationRecord> {
  if (input.conversationId !== undefined) {
    const named = await requireConversation(db, caller, input.conversationId);
    requireSamePartner(caller, named, input.targetAgentId);
    return named;
  }
  const candidates = await candidatesOf(db, caller, input.targetAgentId, meant);
  const [only, second] = candidates;
  if (!only)
    throw new AppError(
      'no_active_conversation',
      'You are in no such conversation. start_conversation opens one.',
    );
  if (second)
    throw new AppError(
      'conversation_id_required',
      'You are in several conversations: name one by conversation_id.',
      {
        details: { conversation_ids: candidates.map(({ id }) => id) },
      },
    );
  return only;
}

function requireSamePartner(
  caller: AgentCaller,
  conversation: ConversationRecord,
  targetAgentId: string | undefined,
): void {
  if (targetAgentId !== undefined && targetAgentId !== partnerOf(conversation, caller.agentId))
    throw new AppError(
      'invalid_input',
      'The target and the conversation_id name different agents; give one of them.',
    );
}

async function candidatesOf(
  db: Queryable,
  caller: AgentCaller,
  targetAgentId: string | undefined,
  meant: 'live' | 'any',
): Promise<ConversationRecord[]> {
  const conversations = new ConversationQueries(db);
  const isMeant = (one: ConversationRecord) =>
    targetAgentId === undefined || partnerOf(one, caller.agentId) === targetAgentId;
  const isMine = (one: ConversationRecord) => {
    const holder = sessionOf(one, caller.agentId);
    return holder === caller.sessionId || (holder === null && caller.purpose === 'chat');
  };
  const live = (await conversations.liveOf(caller)).filter((one) => isMeant(one) && isMine(one));
  if (meant === 'any' && live.length > 0) return live;
  const unacknowledged = (await conversations.withUnacknowledgedEnd(caller)).filter(isMeant);
  const held = live.filter((one) => sessionOf(one, caller.agentId) === caller.sessionId);
  // The one with this agent that it is in came after the one that is over.
  if (targetAgentId !== undefined && held.length > 0) return held;
  // The partner may have ended it between the two reads: then it is in both.
  const over = new Set(unacknowledged.map(({ id }) => id));
  const believed = [...held.filter(({ id }) => !over.has(id)), ...unacknowledged];
  if (believed.length > 0 || meant === 'live') return believed;
  const last = (await conversations.endedOf(caller)).find(isMeant);
  return last ? [last] : [];
}
