import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';

/** The value of `about` on a card about a chain: this prefix, then the id of the chain. */
export const ABOUT_CHAIN = 'chain:';

/** A chain with the numbers of its limit. */
export interface ChainCount {
  readonly messageCount: number;
  /** Tasks that agents have begun for agents. */
  readonly taskCount: number;
  readonly extraMessages: number;
  /** Since when people are asked whether it may continue; null: they are not asked. */
  readonly askedAt: Date | null;
}

/** Does nothing when the chain exists already. */
export async function insertChain(db: Queryable, chain: { id: string; projectId: string }): Promise<void> {
  await db
    .insertInto('conversationChains')
    .values(chain)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export function lockChain(db: Queryable, chainId: string): Promise<ChainCount | undefined> {
  return db
    .selectFrom('conversationChains')
    .select(['messageCount', 'taskCount', 'extraMessages', 'askedAt'])
    .where('id', '=', chainId)
    .forUpdate()
    .executeTakeFirst();
}

/** Undefined: people are asked already. */
export function markAsked(
  db: Queryable,
  chainId: string,
  now: Date,
): Promise<{ messageCount: number } | undefined> {
  return db
    .updateTable('conversationChains')
    .set({ askedAt: now })
    .where('id', '=', chainId)
    .where('askedAt', 'is', null)
    .returning('messageCount')
    .executeTakeFirst();
}

/** People are asked again the next time that the limit is reached. */
export async function addExtraMessages(db: Queryable, chainId: string, messages: number): Promise<void> {
  await db
    .updateTable('conversationChains')
    .set((eb) => ({ extraMessages: eb('extraMessages', '+', messages), askedAt: null }))
    .where('id', '=', chainId)
    .execute();
}

/**
 * A session that learns "go on" joins the chain, as if a conversation of the chain had woken it; a session
 * that is in a chain stays in it.
 */
export async function setChainOfCard(db: Queryable, sessionId: string): Promise<void> {
  await sql`update agent_sessions s set chain_id = substr(led.about, ${ABOUT_CHAIN.length + 1})
    from user_questions q join user_questions led on led.tool_use_id = q.follows
    where s.id = ${sessionId} and s.chain_id is null and q.session_id = s.id and q.acknowledged_at is null`.execute(
    db,
  );
}

export async function setChainOfSession(db: Queryable, sessionId: string, chainId: string): Promise<void> {
  await db.updateTable('agentSessions').set({ chainId }).where('id', '=', sessionId).execute();
}

/** The session that wants to write; undefined: it does not exist. */
export function lockChainOfSession(
  db: Queryable,
  sessionId: string,
): Promise<{ state: string; chainId: string | null } | undefined> {
  return db
    .selectFrom('agentSessions')
    .select(['state', 'chainId'])
    .where('id', '=', sessionId)
    .forUpdate()
    .executeTakeFirst();
}

/** The chain that the session continues; null: none. */
export async function chainOfSession(db: Queryable, sessionId: string): Promise<string | null> {
  const row = await db
    .selectFrom('agentSessions')
    .select('chainId')
    .where('id', '=', sessionId)
    .executeTakeFirst();
  return row?.chainId ?? null;
}

export async function addTaskToChain(db: Queryable, chainId: string): Promise<void> {
  await db
    .updateTable('conversationChains')
    .set((eb) => ({ taskCount: eb('taskCount', '+', 1) }))
    .where('id', '=', chainId)
    .execute();
}
