import { sql } from 'kysely';
import type { Message } from '../contract/chat.ts';
import type { Database, Queryable, Tx } from '../db/database.ts';
import { AppError } from '../errors.ts';
import type { AgentCaller } from './agent-caller.ts';
import { ChatHistory } from './chat-history.ts';

/** What is kept of a writing call, to answer the same key in the same session with the first result. */
export interface KeptResult {
  readonly messageId: string | null;
  readonly answered: number;
  readonly conversationId?: string;
}

/** The first result of this key, or null. */
export async function keptResult(
  db: Queryable,
  caller: AgentCaller,
  key: string | undefined,
): Promise<KeptResult | null> {
  if (key === undefined) return null;
  const { rows } = await sql<{ messageId: string | null; answered: number; conversationId: string | null }>`
    select result ->> 'messageId' as message_id, (result ->> 'answered')::int as answered,
      result ->> 'conversationId' as conversation_id
    from idempotent_results where session_id = ${caller.sessionId} and idempotency_key = ${key}`.execute(db);
  const [row] = rows;
  if (!row) return null;
  const { conversationId, ...rest } = row;
  return { ...rest, ...(conversationId !== null && { conversationId }) };
}

export async function keepResult(
  tx: Tx,
  caller: AgentCaller,
  key: string | undefined,
  kept: { tool: string; result: KeptResult },
): Promise<void> {
  if (key === undefined) return;
  await tx.db
    .insertInto('idempotentResults')
    .values({
      sessionId: caller.sessionId,
      idempotencyKey: key,
      tool: kept.tool,
      result: JSON.stringify(kept.result),
    })
    .execute();
}

/** The message that a kept result names, as it is now. */
export async function keptMessage(database: Database, kept: KeptResult): Promise<Message | null> {
  if (kept.messageId === null) return null;
  return (await new ChatHistory({ database }).byIds([kept.messageId])).get(kept.messageId) ?? null;
}

export function keyOfAnotherCall(): AppError {
  return new AppError('invalid_input', 'This idempotency_key was used by another call. Take a new one.');
}
