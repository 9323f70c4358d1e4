import type { Tx } from '../../platform/db/database.ts';
import type { ServiceDeps } from '../deps.ts';
import { lockChain } from './chain-queries.ts';
import { countSentSince } from './conversation-message-queries.ts';
import type { ConversationRecord } from './conversation-queries.ts';
import { extendAllowedChain } from './extend-chain-limit.ts';
import type { MessagesLeft } from './rules/conversation-machine.ts';

/** When this many messages or fewer are left, the results of the tools say so. */
const NEAR = 3;
const HOUR_MS = 3_600_000;

export interface NearLimit {
  readonly limit: 'max_messages' | 'chain' | 'hour';
  readonly messagesLeft: number;
}

/**
 * The messages that this agent may still write in this chain and in this hour. Locks the chain, so that two
 * of its conversations never both take its last message; the hour belongs to the agent, whose membership is
 * locked already (I-9).
 */
export async function messagesLeft(
  tx: Tx,
  deps: Pick<ServiceDeps, 'settings'>,
  of: { chainId: string | null; projectId: string; agentId: string; now: Date },
): Promise<MessagesLeft> {
  const { chainMaxMessages, projectAgentMessagesPerHour: perHour } = await deps.settings.current();
  const since = new Date(of.now.getTime() - HOUR_MS);
  return {
    chain: of.chainId === null ? chainMaxMessages : await leftInChain(tx, of.chainId, chainMaxMessages),
    hour:
      perHour === 0 ? Number.POSITIVE_INFINITY : perHour - (await countSentSince(tx.db, { ...of, since })),
  };
}

async function leftInChain(tx: Tx, chainId: string, chainMax: number): Promise<number> {
  const chain = await lockChain(tx.db, chainId);
  if (!chain) return chainMax;
  const left = chainMax + chain.extraMessages - chain.messageCount - chain.taskCount;
  if (left > 0 || chain.askedAt === null) return left;
  return left + (await extendAllowedChain(tx, chainId, chainMax));
}

/** The nearest limit, when it is near; `left` and the count have their current values. */
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
