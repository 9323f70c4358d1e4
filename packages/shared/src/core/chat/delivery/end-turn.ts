import type { Tx } from '../../../platform/db/database.ts';
import { noteTurnEnd } from '../../sessions/activity-queries.ts';
import { notifyMembership } from '../../sessions/notify-membership.ts';
import { applySessionCommand } from '../../sessions/session-lifecycle.ts';
import { SessionQueries } from '../../sessions/session-queries.ts';
import type { SessionRecord } from '../../sessions/session-record.ts';
import { ViewerQueries } from '../viewer-queries.ts';

/**
 * The messages of the locked session are failed. As after an answer: an interrupt is no longer wanted, and a close that
 * had to wait takes effect.
 */
export async function endTurn(tx: Tx, session: SessionRecord, now: Date): Promise<void> {
  await noteTurnEnd(tx.db, session.id, now);
  const work = await new SessionQueries(tx.db).work(session.id);
  const viewersLeft = await new ViewerQueries(tx.db).count(session, now);
  await applySessionCommand(tx, session, { type: 'settle_close', viewersLeft, work }, now);
  await notifyMembership(tx, session);
}
