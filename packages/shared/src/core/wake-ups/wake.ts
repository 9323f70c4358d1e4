import { keys } from '../../platform/change-log/keys.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ConversationQueries } from '../conversations/conversation-queries.ts';
import { chatOf, type MembershipKey, type WorkKey } from '../rules/work-key.ts';
import { notifyMembership } from '../sessions/notify-membership.ts';
import { isStillEnding } from './wake-up-list-queries.ts';
import { WakeUpQueries } from './wake-up-queries.ts';

/**
 * Makes a wake-up row for the chat when something waits for an agent whose chat is not live; never for
 * another reason (trap 6). `resumes`: its session did not leave by itself, so a conversation without an
 * unread message waits too.
 */
export async function wakeIfWaiting(
  tx: Tx,
  membership: MembershipKey,
  options: { openedBy: string | null; resumes?: boolean; notBefore?: Date | null; now: Date },
): Promise<boolean> {
  const { resumes = false, ...rest } = options;
  const conversation = await new ConversationQueries(tx.db).oldestWithout(membership);
  if (
    !(await new WakeUpQueries(tx.db).isChatNeeded(membership, { resumes: resumes && conversation !== null }))
  )
    return false;
  return wake(tx, chatOf(membership), { ...rest, conversationId: conversation });
}

/**
 * Makes the wake-up row unless it exists. True when this call made it. Its clock is stopped while an earlier
 * session for the same work is ending, whether or not a Coordinator asks meanwhile.
 */
export async function wake(
  tx: Tx,
  key: WorkKey,
  options: {
    openedBy: string | null;
    conversationId?: string | null;
    scheduleId?: string;
    notBefore?: Date | null;
    now: Date;
  },
): Promise<boolean> {
  const wakeUps = new WakeUpQueries(tx.db);
  const made = await wakeUps.insert({ ...key, ...options });
  if (made) {
    if (await isStillEnding(tx.db, key))
      await wakeUps.setHeld({ ...key, heldFor: 'session_ending', now: options.now });
    await notifyMembership(tx, key);
    tx.dirty(keys.work);
  } else if (options.openedBy !== null) await wakeUps.setOpenedBy({ ...key, openedBy: options.openedBy });
  return made;
}

/**
 * A session or run is over: the clock of the row that waited for that starts again, unless another part of it
 * still runs.
 */
export async function resumeWakeUp(tx: Tx, key: WorkKey, now: Date): Promise<void> {
  if (!(await isStillEnding(tx.db, key)))
    await new WakeUpQueries(tx.db).setHeld({ ...key, heldFor: null, now });
}
