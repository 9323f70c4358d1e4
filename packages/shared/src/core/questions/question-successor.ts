import type { Tx } from '../../platform/db/database.ts';
import { sessionThatTakesWork } from '../sessions/session-lifecycle.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import { wake } from '../wake-ups/wake.ts';
import { applyQuestionCommand } from './question-lifecycle.ts';
import type { QuestionRecord } from './question-queries.ts';

/**
 * An answered card that no session holds is given to the live session of the work that it was asked for, else
 * to the next one, which is woken for it. The membership is locked. Returns the session that is given it.
 */
export async function giveToSuccessor(
  tx: Tx,
  card: QuestionRecord,
  by: { answeredBy: string; now: Date },
): Promise<string | null> {
  const open = await new SessionQueries(tx.db).lockOpen(card.projectId, card.agentId);
  const heir = await sessionThatTakesWork(tx, card, open, by.now);
  if (heir) await applyQuestionCommand(tx, card, { type: 'claim', sessionId: heir.id }, by.now);
  else await wake(tx, card, { openedBy: by.answeredBy, now: by.now });
  return heir?.id ?? null;
}
