import type { Tx } from '../../platform/db/database.ts';
import { chatThatTakesWork } from '../sessions/session-lifecycle.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import { wake } from '../wake-ups/wake.ts';
import { applyQuestionCommand } from './question-lifecycle.ts';
import type { QuestionRecord } from './question-queries.ts';

/**
 * An answered card that no session holds: the agent's live chat hears it, else the next one, which is woken for it.
 * The pair is locked. Returns the session that hears it.
 */
export async function giveToSuccessor(
  tx: Tx,
  card: QuestionRecord,
  by: { answeredBy: string; now: Date },
): Promise<string | null> {
  const open = await new SessionQueries(tx.db).lockOpen(card.projectId, card.agentId);
  const chat = await chatThatTakesWork(tx, open, by.now);
  if (chat) await applyQuestionCommand(tx, card, { type: 'claim', sessionId: chat.id }, by.now);
  else await wake(tx, card, { openedBy: by.answeredBy, now: by.now });
  return chat?.id ?? null;
}
