import type { Tx } from '../../platform/db/database.ts';
import { sessionThatTakesWork } from '../sessions/session-lifecycle.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import { wake } from '../wake-ups/wake.ts';
import type { CardKind } from './card-kind.ts';
import type { CardRecord } from './card-queries.ts';

/**
 * A decided card that no session holds is given to the live session of the work that it was asked for, else
 * to the next one, which is woken for it. The membership is locked. Returns the session that is given it.
 * `isAsked`: no turn will ask for it, so a session that lives is told at once.
 */
export async function giveToSuccessor<Card extends CardRecord>(
  tx: Tx,
  kind: CardKind<Card>,
  card: Card,
  by: { decidedBy: string; isAsked: boolean; now: Date },
): Promise<string | null> {
  const open = await new SessionQueries(tx.db).lockOpen(card.projectId, card.agentId);
  const heir = await sessionThatTakesWork(tx, card, open, by.now);
  if (heir) await kind.apply(tx, card, { type: 'claim', sessionId: heir.id, isAsked: by.isAsked }, by.now);
  else await wake(tx, card, { openedBy: by.decidedBy, now: by.now });
  return heir?.id ?? null;
}
