import { sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';
import type { ServiceDeps } from '../deps.ts';
import type { ConversationRecord } from './conversation-queries.ts';
import { takeAllowance } from './extend-chain-limit.ts';
import type { MessagesLeft } from './rules/conversation-machine.ts';

/** From so few messages left on, the results of the tools say so. */
const NEAR = 3;
const HOUR_MS = 3_600_000;

export interface NearLimit {
  readonly limit: 'max_messages' | 'chain' | 'hour';
  readonly messagesLeft: number;
}

/**
 * What this agent may still say in this chain and in this hour. Locks the chain, so that two conversations of it
 * never take its last message both; the hour is the agent's own, whose pair is locked already (I-9).
 */
export async function messagesLeft(
  tx: Tx,
  deps: Pick<ServiceDeps, 'settings'>,
  of: { chainId: string | null; projectId: string; agentId: string; now: Date },
): Promise<MessagesLeft> {
  const { chainMaxMessages, projectAgentMessagesPerHour: perHour } = await deps.settings.current();
  return {
    chain: of.chainId === null ? chainMaxMessages : await leftInChain(tx, of.chainId, chainMaxMessages),
    hour: perHour === 0 ? Number.POSITIVE_INFINITY : perHour - (await saidThisHour(tx, of)),
  };
}

async function leftInChain(tx: Tx, chainId: string, chainMax: number): Promise<number> {
  const chain = await tx.db
    .selectFrom('conversationChains')
    .select(['messageCount', 'extraMessages', 'askedAt'])
    .where('id', '=', chainId)
    .forUpdate()
    .executeTakeFirst();
  if (!chain) return chainMax;
  const left = chainMax + chain.extraMessages - chain.messageCount;
  if (left > 0 || chain.askedAt === null) return left;
  return left + (await takeAllowance(tx, chainId, chainMax));
}

async function saidThisHour(tx: Tx, of: { projectId: string; agentId: string; now: Date }): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from chat_messages
    where project_id = ${of.projectId} and sender_id = ${of.agentId} and conversation_id is not null
      and created_at > ${new Date(of.now.getTime() - HOUR_MS)}`.execute(tx.db);
  return rows[0]?.count ?? 0;
}

/** The nearest limit, when it is near; `left` and the count are as they stand now. */
export function nearestLimit(
  conversation: Pick<ConversationRecord, 'messageCount' | 'maxMessages'>,
  left: MessagesLeft,
): NearLimit | undefined {
  const limits: NearLimit[] = [
    { limit: 'max_messages', messagesLeft: conversation.maxMessages - conversation.messageCount },
    { limit: 'chain', messagesLeft: left.chain },
    { limit: 'hour', messagesLeft: left.hour },
  ];
  const nearest = limits.reduce((a, b) => (b.messagesLeft < a.messagesLeft ? b : a));
  return nearest.messagesLeft <= NEAR ? nearest : undefined;
}
