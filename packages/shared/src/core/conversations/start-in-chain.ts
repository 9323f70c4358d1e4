import type { Tx } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import type { AgentCaller } from '../access/agent-caller.ts';
import type { ServiceDeps } from '../deps.ts';
import { messagesLeft } from './chain-limits.ts';
import { addTaskToChain, chainOfSession, insertChain, setChainOfSession } from './chain-queries.ts';

/**
 * An agent begins work for an agent: it counts in the chain as one message, so that agents that give each other tasks
 * reach the same limit as agents that talk. Returns the chain that the work continues. The session is locked.
 * @throws AppError chain_limit
 */
export async function startInChain(
  tx: Tx,
  deps: Pick<ServiceDeps, 'settings'>,
  { sessionId, projectId, agentId }: AgentCaller,
): Promise<string> {
  const existing = await chainOfSession(tx.db, sessionId);
  const chainId = existing ?? sessionId;
  await insertChain(tx.db, { id: chainId, projectId });
  const left = await messagesLeft(tx, deps, { chainId, projectId, agentId, now: await tx.now() });
  if (left.chain <= 0)
    throw new AppError(
      'chain_limit',
      'Agents have begun as much work for one another as is allowed without a person. Leave the task in backlog, or as it is: a person can begin it.',
      { details: { limit: 'chain' } },
    );
  await addTaskToChain(tx.db, chainId);
  if (existing === null) await setChainOfSession(tx.db, sessionId, chainId);
  return chainId;
}
