import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';

/** What a card about a chain names in `about`: this, then the id of the chain. */
export const ABOUT_CHAIN = 'chain:';

/** A chain as its limit is counted. */
export interface ChainCount {
  readonly messageCount: number;
  readonly extraMessages: number;
  /** Since when people are asked whether it may go on; null: they are not asked. */
  readonly askedAt: Date | null;
}

/** The same chain may be there already. */
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
    .select(['messageCount', 'extraMessages', 'askedAt'])
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

/** The next time that the limit is reached people are asked again. */
export async function addExtraMessages(db: Queryable, chainId: string, messages: number): Promise<void> {
  await db
    .updateTable('conversationChains')
    .set((eb) => ({ extraMessages: eb('extraMessages', '+', messages), askedAt: null }))
    .where('id', '=', chainId)
    .execute();
}

/**
 * A session that hears "go on" is in the chain from there, as if it had been woken by one of its conversations; one that
 * is in a chain stays in it.
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

/** The session that would say something; undefined: there is none. */
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
