import type { Message } from '../../../contract/chat.ts';
import type { Database, Queryable, Tx } from '../../../platform/db/database.ts';
import type { AgentCaller } from '../../access/agent-caller.ts';
import { ChatHistory } from '../chat-history.ts';
import { findKept, insertKept } from './idempotent-queries.ts';

/** A writing call as its caller names it; the same key under another tool means nothing. Without key: never kept. */
export interface CallKey {
  readonly tool:
    | 'respond_chat'
    | 'send_message'
    | 'start_conversation'
    | 'end_conversation'
    | 'ask_user_question';
  readonly key: string | undefined;
}

/** What is kept of a writing call, to answer the same key of the same tool and session with the first result. */
export interface KeptResult {
  readonly messageId: string | null;
  readonly answered: number;
  readonly conversationId?: string;
  readonly toolUseId?: string;
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
  const { messageId, answered, conversationId, toolUseId } = row;
  return {
    messageId,
    answered: answered ?? 0,
    ...(conversationId !== null && { conversationId }),
    ...(toolUseId !== null && { toolUseId }),
  };
}

/** Keeps it in the transaction that did it; nothing without a key. */
export async function keepResult(
  tx: Tx,
  caller: Pick<AgentCaller, 'sessionId'>,
  { tool, key }: CallKey,
  result: Partial<KeptResult>,
): Promise<void> {
  if (key === undefined) return;
  await insertKept(tx.db, { sessionId: caller.sessionId, tool, key }, result);
}

/** The message that a kept result names, as it is now. */
export async function keptMessage(database: Database, kept: KeptResult): Promise<Message | null> {
  if (kept.messageId === null) return null;
  return (await new ChatHistory({ database }).byIds([kept.messageId])).get(kept.messageId) ?? null;
}
