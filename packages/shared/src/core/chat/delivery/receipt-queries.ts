import { sql } from 'kysely';
import type { Queryable } from '../../../platform/db/database.ts';
import type { ConversationNotice, ResolvedCard } from '../../sessions/rules/next-action.ts';
import { CARDS } from '../../sessions/session-work.ts';

/** From now on the session counts as one that uses receipts. Idempotent. */
export async function setUsesReceipts(db: Queryable, sessionId: string): Promise<void> {
  await sql`update agent_sessions set uses_receipts = true
      where id = ${sessionId} and not uses_receipts`.execute(db);
}

export async function usesReceipts(db: Queryable, sessionId: string): Promise<boolean> {
  const row = await db
    .selectFrom('agentSessions')
    .select('usesReceipts')
    .where('id', '=', sessionId)
    .executeTakeFirst();
  return row?.usesReceipts ?? false;
}

/**
 * Counts one more offer of a card to the session. Returns the count, 0 when the card belongs to another
 * session.
 */
export async function countCardOffers(
  db: Queryable,
  sessionId: string,
  { kind, toolUseId }: Pick<ResolvedCard, 'kind' | 'toolUseId'>,
): Promise<number> {
  const table = sql.table(CARDS[kind]);
  const { rows } = await sql<{ offers: number }>`update ${table} set offers = offers + 1
    where tool_use_id = ${toolUseId} and session_id = ${sessionId}
    returning offers`.execute(db);
  return rows[0]?.offers ?? 0;
}

/** The same for a notice. */
export async function countNoticeOffers(
  db: Queryable,
  caller: { sessionId: string; agentId: string },
  notice: ConversationNotice,
): Promise<number> {
  const { rows } = await sql<{ offers: number }>`update conversation_notices set offers = offers + 1
    where conversation_id = ${notice.conversationId} and agent_id = ${caller.agentId}
      and kind = ${notice.kind} and session_id = ${caller.sessionId}
    returning offers`.execute(db);
  return rows[0]?.offers ?? 0;
}

/** The same for the task of the session. */
export async function countTaskOffers(db: Queryable, sessionId: string): Promise<number> {
  const { rows } = await sql<{ offers: number }>`update agent_sessions set task_offers = task_offers + 1
    where id = ${sessionId} returning task_offers as offers`.execute(db);
  return rows[0]?.offers ?? 0;
}

/** The session knows its task. Its turn begins now, unless it has begun already. */
export async function setTaskTold(
  db: Queryable,
  sessionId: string,
  { taskId }: { readonly taskId: string },
): Promise<void> {
  await sql`update agent_sessions set task_told_at = clock_timestamp(),
      last_activity_at = greatest(last_activity_at, clock_timestamp())
    where id = ${sessionId} and task_id = ${taskId} and task_told_at is null`.execute(db);
}
