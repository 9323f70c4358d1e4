import type { Message } from '../../contract/chat.ts';
import type { Database, Queryable, Tx } from '../../platform/db/database.ts';
import type { AgentCaller } from '../access/agent-caller.ts';
import { ChatHistory } from '../chat/chat-history.ts';
import { findKept, insertKept } from './idempotent-queries.ts';

/**
 * A writing call as its caller names it; keys of different tools are independent. Without a key nothing is
 * stored.
 */
export interface CallKey {
  readonly tool:
    | 'respond_chat'
    | 'send_message'
    | 'start_conversation'
    | 'end_conversation'
    | 'ask_user_question'
    | 'request_approval'
    | 'request_vision'
    | 'create_task'
    | 'update_task_status'
    | 'propose_subtasks'
    | 'save_context'
    | 'report_completed'
    | 'remember';
  readonly key: string | undefined;
}

/**
 * The stored results of writing calls: a repeated key of the same tool and session is answered with the first
 * result.
 */
export interface KeptResult {
  readonly messageId: string | null;
  readonly answered: number;
  /** Messages that have failed in place of an answer. */
  readonly failed?: number;
  readonly conversationId?: string;
  readonly toolUseId?: string;
  readonly taskId?: string;
  readonly proposalId?: string;
  readonly eventId?: string;
  readonly stateId?: string;
  readonly visionId?: string;
}

/** The first result of this call, or null. */
export async function keptResult(
  db: Queryable,
  caller: Pick<AgentCaller, 'sessionId'>,
  { tool, key }: CallKey,
): Promise<KeptResult | null> {
  if (key === undefined) return null;
  const row = await findKept(db, { sessionId: caller.sessionId, tool, key });
  if (!row) return null;
  const { messageId, answered, failed, conversationId, toolUseId, taskId, proposalId } = row;
  const { eventId, stateId, visionId } = row;
  return {
    messageId,
    answered: answered ?? 0,
    ...(failed !== null && { failed }),
    ...(conversationId !== null && { conversationId }),
    ...(toolUseId !== null && { toolUseId }),
    ...(taskId !== null && { taskId }),
    ...(proposalId !== null && { proposalId }),
    ...(eventId !== null && { eventId }),
    ...(stateId !== null && { stateId }),
    ...(visionId !== null && { visionId }),
  };
}

/** Stores the result in the transaction of the call; does nothing without a key. */
export async function keepResult(
  tx: Tx,
  caller: Pick<AgentCaller, 'sessionId'>,
  { tool, key }: CallKey,
  result: Partial<KeptResult>,
): Promise<void> {
  if (key === undefined) return;
  await insertKept(tx.db, { sessionId: caller.sessionId, tool, key }, result);
}

/** The message that a stored result names, in its current state. */
export async function keptMessage(database: Database, kept: KeptResult): Promise<Message | null> {
  if (kept.messageId === null) return null;
  return (await new ChatHistory({ database }).byIds([kept.messageId])).get(kept.messageId) ?? null;
}
