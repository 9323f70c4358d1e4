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
 * Without a name an ended one is meant only if the session has not acknowledged its end; `ended`: the last
 * ended one too.
 */
export async function findConversation(
  db: Queryable,
  caller: AgentCaller,
  input: TargetInput,
  options: { ended: boolean },
): Promise<ConversationRecord> {
  if (input.conversationId !== undefined) {
    const named = await requireConversation(db, caller, input.conversationId);
    requireSamePartner(caller, named, input.targetAgentId);
    return named;
  }
  const candidates = await candidatesOf(db, caller, input.targetAgentId, options);
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
  options: { ended: boolean },
): Promise<ConversationRecord[]> {
  const conversations = new ConversationQueries(db);
  const isMeant = (one: ConversationRecord) =>
    targetAgentId === undefined || partnerOf(one, caller.agentId) === targetAgentId;
  const isMine = (one: ConversationRecord) => {
    const holder = sessionOf(one, caller.agentId);
    return holder === caller.sessionId || (holder === null && caller.purpose === 'chat');
  };
  const live = (await conversations.liveOf(caller)).filter((one) => isMeant(one) && isMine(one));
  if (live.length > 0) return live;
  const unacknowledged = (await conversations.withUnacknowledgedEnd(caller)).filter(isMeant);
  if (unacknowledged.length > 0 || !options.ended) return unacknowledged;
  const last = (await conversations.endedOf(caller)).find(isMeant);
  return last ? [last] : [];
}
