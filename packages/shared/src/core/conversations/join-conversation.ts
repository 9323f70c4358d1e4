import type { ServiceDeps } from '../deps.ts';
import { chatOf } from '../rules/work-key.ts';
import { requestRunStop } from '../runs/run-stop.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import { WakeUpQueries } from '../wake-ups/wake-up-queries.ts';
import { conversationTimes, tickConversation } from './conversation-deadlines.ts';
import { ConversationQueries, sessionOf } from './conversation-queries.ts';
import { joinConversations } from './conversation-sides.ts';
import { decideConversation } from './rules/conversation-machine.ts';

/**
 * Runs before a session is given any action: applies the passage of time to its conversations; a chat session
 * takes over those that wait for its agent (A1 of UC016: no second process; the session takes the wake-up).
 */
export async function updateConversationsOf(deps: ServiceDeps, sessionId: string): Promise<void> {
  const session = await new SessionQueries(deps.database.db).findById(sessionId);
  if (!session) return;
  const times = await conversationTimes(deps);
  const now = deps.clock.now();
  const live = await new ConversationQueries(deps.database.db).liveOf(session);
  for (const conversation of live)
    if (decideConversation(conversation, { type: 'tick', times }, now).ok)
      await tickConversation(deps, conversation.id);
  const isFree = live.some((conversation) => sessionOf(conversation, session.agentId) === null);
  if (session.purpose === 'chat' && isFree) await joinWhatWaits(deps, sessionId, session);
}

async function joinWhatWaits(
  deps: ServiceDeps,
  sessionId: string,
  membership: { projectId: string; agentId: string },
): Promise<void> {
  await deps.database.transaction(async (tx) => {
    const sessions = new SessionQueries(tx.db);
    const wakeUps = new WakeUpQueries(tx.db);
    if (!(await sessions.lockMembership(membership.projectId, membership.agentId))) return;
    const row = await wakeUps.lock(chatOf(membership));
    const session = await sessions.lockById(sessionId);
    if (session?.state !== 'active') return;
    const now = await tx.now();
    if (!(await joinConversations(tx, session, now)) || row === null) return;
    await wakeUps.remove({ ...row, outcome: 'taken_by_session', now });
    if (row.runId !== null) await requestRunStop(tx, row.runId, 'superseded', now);
  });
}
