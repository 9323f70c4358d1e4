import type { Tx } from '../db/database.ts';
import type { QuestionRecord } from '../db/repositories/question-repository.ts';
import { SessionRepository } from '../db/repositories/session-repository.ts';
import { applyQuestionCommand } from './question-lifecycle.ts';
import { chatThatTakesWork, wake } from './session-lifecycle.ts';

/**
 * An answered card that no session holds: the agent's live chat hears it, else the next one, which is woken for it.
 * The pair is locked. Returns the session that hears it.
 */
export async function giveToSuccessor(
  tx: Tx,
  card: QuestionRecord,
  by: { answeredBy: string; now: Date },
): Promise<string | null> {
  const open = await new SessionRepository(tx.db).lockOpen(card.projectId, card.agentId);
  const chat = await chatThatTakesWork(tx, open, by.now);
  if (chat) await applyQuestionCommand(tx, card, { type: 'claim', sessionId: chat.id }, by.now);
  else await wake(tx, card, { openedBy: by.answeredBy, now: by.now });
  return chat?.id ?? null;
}
