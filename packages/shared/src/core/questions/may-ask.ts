import type { Queryable } from '../../platform/db/database.ts';
import type { SessionRecord } from '../sessions/session-record.ts';
import { heardBySession } from './asker-queries.ts';
import { mayAsk } from './rules/interactive.ts';

/** A session that no person opened may ask when one of this many newest messages is from a person. */
const HEARD_WITHIN_MESSAGES = 200;

/** Whether a person is there whom the session may ask, for an answer or for a permission. */
export async function mayAskNow(db: Queryable, session: SessionRecord): Promise<boolean> {
  const heard = await heardBySession(db, session, HEARD_WITHIN_MESSAGES);
  return mayAsk({
    openedBy: session.openedBy,
    heardPerson: heard.heardPerson,
    worksForSchedule: heard.holdsSchedule && !heard.holdsPerson,
  });
}
