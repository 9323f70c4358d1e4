import { keys } from '../../platform/changes/keys.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ConversationQueries } from '../conversations/conversation-queries.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import { notifyPair } from '../sessions/tell-pair.ts';
import { WakeUpQueries } from './wake-up-queries.ts';

type Pair = { readonly projectId: string; readonly agentId: string };

/**
 * A wake-up row when somebody waits for an agent that has nothing live; never for any other reason (trap 6).
 * `resumes`: its session did not leave by itself, so a conversation without a word to read waits too.
 */
export async function wakeIfWaiting(
  tx: Tx,
  pair: Pair,
  options: { openedBy: string | null; resumes?: boolean; notBefore?: Date | null; now: Date },
): Promise<boolean> {
  const { resumes = false, ...rest } = options;
  const conversation = await new ConversationQueries(tx.db).oldestWithout(pair);
  if (!(await new WakeUpQueries(tx.db).isNeeded(pair, { resumes: resumes && conversation !== null })))
    return false;
  return wake(tx, pair, { ...rest, conversationId: conversation });
}

/**
 * Makes the wake-up row unless it stands. True when this call made it. Its clock rests while a session of the pair
 * is still ending, whether a Coordinator asks meanwhile or not.
 */
export async function wake(
  tx: Tx,
  pair: Pair,
  options: {
    openedBy: string | null;
    conversationId?: string | null;
    scheduleId?: string;
    notBefore?: Date | null;
    now: Date;
  },
): Promise<boolean> {
  const purposes = new WakeUpQueries(tx.db);
  const made = await purposes.insertChat({ ...pair, ...options });
  if (made) {
    if (await new SessionQueries(tx.db).hasOpenChat(pair))
      await purposes.setHeld({ ...pair, heldFor: 'session_ending', now: options.now });
    await notifyPair(tx, pair);
    tx.dirty(keys.work);
  } else if (options.openedBy !== null) await purposes.setOpenedBy({ ...pair, openedBy: options.openedBy });
  return made;
}
