import type { Queryable } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import type { AgentCaller } from '../access/agent-caller.ts';
import type { ServiceDeps } from '../deps.ts';
import { findLastSource, findTarget } from './conversation-change-queries.ts';
import { ConversationQueries, type ConversationRecord, partnerOf, sideOf } from './conversation-queries.ts';

/** The target that a tool names: a conversation, the other agent, or a person. */
export interface TargetInput {
  readonly targetAgentId?: string | undefined;
  readonly conversationId?: string | undefined;
}

/** The destination of a message: the chat with people, or the partner of a live conversation. */
export async function resolveTarget(
  deps: Pick<ServiceDeps, 'database' | 'config'>,
  caller: AgentCaller,
  input: TargetInput,
): Promise<'chat' | ConversationRecord> {
  const { db } = deps.database;
  const { targetAgentId, conversationId } = input;
  if (conversationId !== undefined) {
    const conversation = await requireConversation(db, caller, conversationId);
    if (targetAgentId !== undefined && targetAgentId !== partnerOf(conversation, caller.agentId))
      throw new AppError(
        'invalid_input',
        'The target and the conversation_id name different agents; give one of them.',
      );
    return conversation;
  }
  if (targetAgentId === undefined)
    throw new AppError('target_required', 'Name the receiver: target_agent_id, "user" for the person.');
  if ((await requireTarget(db, caller, targetAgentId)) === 'person') return 'chat';
  const live = await new ConversationQueries(db).liveBetween(caller.projectId, caller.agentId, targetAgentId);
  if (!live) throw conversationRequired(deps.config.locale, targetAgentId);
  return live;
}

/**
 * A conversation of the caller. A conversation of others is not_conversation_participant within the project;
 * that of another project does not exist for the caller.
 */
export async function requireConversation(
  db: Queryable,
  caller: AgentCaller,
  id: string,
): Promise<ConversationRecord> {
  const conversation = await new ConversationQueries(db).find(id);
  if (!conversation || conversation.projectId !== caller.projectId)
    throw new AppError('conversation_not_found', 'There is no such conversation.');
  if (sideOf(conversation, caller.agentId) === undefined)
    throw new AppError('not_conversation_participant', 'This conversation is between other agents.');
  return conversation;
}

/** The conversation that was given last to a live session, or `chat`; null: the session is over. */
export async function lastSource(db: Queryable, caller: AgentCaller): Promise<string | null> {
  const session = await findLastSource(db, caller.sessionId);
  return session === undefined ? null : (session.lastSource ?? 'chat');
}

/**
 * Whether a name is a person or an AI agent of this project. An error must not recommend start_conversation
 * for a name that start_conversation refuses.
 */
async function requireTarget(
  db: Queryable,
  caller: AgentCaller,
  targetId: string,
): Promise<'person' | 'agent'> {
  // Messages name people `user`: the person who writes in this chat.
  if (targetId === 'user') return 'person';
  if (targetId === caller.agentId)
    throw new AppError(
      'cannot_conversation_with_self',
      'That is yourself. list_project_agents names the others.',
    );
  const target = await findTarget(db, caller.projectId, targetId);
  if (!target)
    throw new AppError(
      'agent_not_found',
      'There is no such agent or person. list_project_agents names them.',
    );
  const isMember = target.memberId !== null || (target.type === 'human' && target.accessLevel === 'owner');
  if (!isMember)
    throw new AppError(
      'target_agent_not_in_project',
      'That one is not in this project. list_project_agents names who is.',
    );
  return target.type === 'ai' ? 'agent' : 'person';
}

function conversationRequired(locale: 'ja' | 'en', targetId: string): AppError {
  const call = `start_conversation(participant_agent_id: "${targetId}", initial_message: "...")`;
  const text =
    locale === 'ja'
      ? `AIエージェント間のメッセージ送信にはアクティブな会話が必要です。先に${call}を呼び出してください。`
      : `Messages between AI agents need an active conversation. Call ${call} first.`;
  return new AppError('conversation_required_for_ai_to_ai', text, { details: { targetAgentId: targetId } });
}
