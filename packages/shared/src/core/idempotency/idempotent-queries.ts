import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';

/** A writing call of a session. */
export interface KeptCall {
  readonly sessionId: string;
  readonly tool: string;
  readonly key: string;
}

/** The stored result of a call; absent columns are null. */
export interface KeptRow {
  readonly messageId: string | null;
  readonly answered: number | null;
  readonly failed: number | null;
  readonly conversationId: string | null;
  readonly toolUseId: string | null;
  readonly taskId: string | null;
  readonly proposalId: string | null;
  readonly eventId: string | null;
  readonly stateId: string | null;
  readonly visionId: string | null;
}

export async function findKept(
  db: Queryable,
  { sessionId, tool, key }: KeptCall,
): Promise<KeptRow | undefined> {
  const { rows } = await sql<KeptRow>`
    select result ->> 'messageId' as message_id, (result ->> 'answered')::int as answered,
      (result ->> 'failed')::int as failed,
      result ->> 'conversationId' as conversation_id, result ->> 'toolUseId' as tool_use_id,
      result ->> 'taskId' as task_id, result ->> 'proposalId' as proposal_id,
      result ->> 'eventId' as event_id, result ->> 'stateId' as state_id,
      result ->> 'visionId' as vision_id
    from idempotent_results
    where session_id = ${sessionId} and tool = ${tool} and idempotency_key = ${key}`.execute(db);
  return rows[0];
}

/** @throws a unique violation when the call is stored already. */
export async function insertKept(
  db: Queryable,
  { sessionId, tool, key }: KeptCall,
  result: object,
): Promise<void> {
  await db
    .insertInto('idempotentResults')
    .values({ sessionId, idempotencyKey: key, tool, result: JSON.stringify(result) })
    .execute();
}

/** Whether a call of this session, whatever its key is, was given this card. */
export async function isKeptOf(
  db: Queryable,
  { sessionId, tool, toolUseId }: { sessionId: string; tool: string; toolUseId: string },
): Promise<boolean> {
  const { rows } = await sql`select from idempotent_results
    where session_id = ${sessionId} and tool = ${tool} and result ->> 'toolUseId' = ${toolUseId} limit 1`.execute(
    db,
  );
  return rows.length > 0;
}
