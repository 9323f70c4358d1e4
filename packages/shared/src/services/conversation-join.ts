import { ConversationRepository } from '../db/repositories/conversation-repository.ts';
import { PurposeRepository } from '../db/repositories/purpose-repository.ts';
import { SessionRepository } from '../db/repositories/session-repository.ts';
import { decideConversation } from '../domain/conversation/conversation-machine.ts';
import { joinConversations } from './conversation-sides.ts';
import { conversationTimes, tickConversation } from './conversation-time.ts';
import type { ServiceDeps } from './deps.ts';
import { requestRunStop } from './run-stop.ts';
import { nowIn } from './session-lifecycle.ts';

/**
 * Before a session is told anything: what time has done to its conversations, and, for a chat session, those that
 * wait for its agent become its own (A1 of UC016: no second process; the wake-up is taken by the session).
 */
export async function updateConversationsOf(deps: ServiceDeps, sessionId: string): Promise<void> {
  const session = await new SessionRepository(deps.database.db).findById(sessionId);
  if (!session) return;
  const times = await conversationTimes(deps);
  const now = deps.clock.now();
  const live = await new ConversationRepository(deps.database.db).liveOf(session);
  for (const conversation of live)
    if (decideConversation(conversation, { type: 'tick', times }, now).ok)
      await tickConversation(deps, conversation.id);
  if (session.purpose === 'chat' && live.length > 0) await joinWhatWaits(deps, sessionId, session);
}

async function joinWhatWaits(
  deps: ServiceDeps,
  sessionId: string,
  pair: { projectId: string; agentId: string },
): Promise<void> {
  await deps.database.transaction(async (tx) => {
    const sessions = new SessionRepository(tx.db);
    const purposes = new PurposeRepository(tx.db);
    if (!(await sessions.lockPair(pair.projectId, pair.agentId))) return;
    const row = await purposes.lockChat(pair);
    const session = await sessions.lockById(sessionId);
    if (session?.state !== 'active') return;
    const now = await nowIn(tx, deps.clock);
    if (!(await joinConversations(tx, session, now)) || row === null) return;
    await purposes.remove({ ...row, outcome: 'taken_by_session', now });
    if (row.runId !== null) await requestRunStop(tx, row.runId, 'superseded', now);
  });
}
