import { appendChangeEvents } from '../../platform/changes/change-log.ts';
import { keys } from '../../platform/changes/keys.ts';
import type { Tx } from '../../platform/db/database.ts';

/** Readers of the page and held calls of the pair look again. */
export async function notifyPair(
  tx: Tx,
  pair: { readonly projectId: string; readonly agentId: string },
): Promise<void> {
  await appendChangeEvents(tx, [
    { kind: 'session', projectId: pair.projectId, ref: { agentId: pair.agentId } },
  ]);
  tx.dirty(keys.pair(pair.projectId, pair.agentId));
}
