import type { Tx } from '../../platform/db/database.ts';
import { workKeyOf } from '../rules/work-key.ts';
import { followsOldEnd } from '../sessions/rules/old-end.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import type { SessionRecord } from '../sessions/session-record.ts';
import { isPerWork } from '../wake-ups/per-work-queries.ts';
import { WakeUpQueries } from '../wake-ups/wake-up-queries.ts';
import { hasRead } from './left-work-queries.ts';
import { crashBackoffMs, type LeftWork } from './rules/run-machine.ts';
import { crashesInARow } from './run-exit-queries.ts';

/** What the process of an active session leaves if it ends now. */
export async function readLeftWork(
  tx: Tx,
  session: SessionRecord,
  { worksPerWork, now }: { worksPerWork: boolean; now: Date },
): Promise<LeftWork> {
  const { held, unread, liveConversation } = await new SessionQueries(tx.db).work(session.id);
  return {
    purpose: session.purpose,
    isPerWork: worksPerWork,
    held,
    unread,
    isWithheld: session.folderWaitFor !== null,
    liveConversation,
    hasRead: await hasRead(tx.db, session.id),
    followsOldEnd: followsOldEnd(session, now),
  };
}

/**
 * Whether the process of an active session logs out although messages wait of which it has fetched none. A process that
 * does so at each start would be started in a loop. The end of the process counts it as a crash (run-exit.ts). What it could
 * not fetch, because it waits for the folder, does not count where the next start waits for that, too.
 */
export async function leavesUnread(tx: Tx, session: SessionRecord): Promise<boolean> {
  if (session.runId === null || session.purpose !== 'chat' || session.state !== 'active') return false;
  const { unread } = await new SessionQueries(tx.db).work(session.id);
  if (!unread || (await hasRead(tx.db, session.id))) return false;
  return session.folderWaitFor === null || !(await isPerWork(tx.db, session.agentId));
}

/** After the end of such a session: its successor is started after the pause of a crash, before its exit is known. */
export async function backOffBeforeExit(tx: Tx, session: SessionRecord, now: Date): Promise<void> {
  const crashes = 1 + (await crashesInARow(tx.db, session));
  await new WakeUpQueries(tx.db).setBackoff({
    ...workKeyOf(session),
    notBefore: new Date(now.getTime() + crashBackoffMs(crashes)),
    error: { error: null, exitCode: null, signal: null, lastLine: null },
  });
}
