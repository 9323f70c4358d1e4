import type { FailureCode, TextParams } from '../../../contract/chat.ts';
import { appendMessageEvents } from '../../../platform/change-log/change-log.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { releaseOrFail } from '../rules/message-machine.ts';
import { failUnanswered, lockHeldMessages, releaseMessages } from './redelivery-queries.ts';

/*
 * Messages that no session will answer any more: returned for the next session, or failed. Runs inside the
 * caller's transaction, after the locks of the membership and its sessions.
 */

/** Returns the messages that a session held when it ended; the third crash with one message fails it (trap 20). */
export async function redeliver(
  tx: Tx,
  session: { readonly id: string; readonly projectId: string },
  hasCrashed: boolean,
  now: Date,
): Promise<void> {
  const held = await lockHeldMessages(tx.db, session.id);
  if (held.length === 0) return;
  const released = held.map(({ id, crashes }) => ({ id, ...releaseOrFail(crashes, hasCrashed) }));
  await releaseMessages(tx.db, released, now);
  await appendMessageEvents(tx, session.projectId, held);
}

/** Fails every message of people that this agent has not answered; call it before its session is ended. */
export async function failWaiting(
  tx: Tx,
  membership: { readonly projectId: string; readonly agentId: string },
  code: FailureCode,
  params: TextParams,
  now: Date,
): Promise<number> {
  const failed = await failUnanswered(tx.db, membership, { code, params }, now);
  await appendMessageEvents(tx, membership.projectId, failed);
  return failed.length;
}
