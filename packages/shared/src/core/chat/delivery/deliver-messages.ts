import type { Message } from '../../../contract/chat.ts';
import { keys } from '../../../platform/change-log/keys.ts';
import type { AgentCaller } from '../../access/agent-caller.ts';
import type { ServiceDeps } from '../../deps.ts';
import { lockFolder, readFolders } from '../../folders/folder-queries.ts';
import { noteFolderWait, tellWaitingStarts } from '../../folders/folder-waits.ts';
import { decideFolder } from '../../folders/rules/folder-lease.ts';
import { toMessage } from '../message-queries.ts';
import { chatThreadId } from '../thread-id.ts';
import { type DeliveredRow, deliver, deliverInFolder, readContext } from './deliver-queries.ts';

export type MessageSource =
  | { readonly kind: 'chat' }
  | { readonly kind: 'conversation'; readonly conversationId: string; readonly agentId: string };

export interface Delivery {
  /**
   * Names the batch of this call; null when nothing waits. An answer that names it answers these messages
   * only.
   */
  readonly batchId: string | null;
  readonly source: MessageSource | null;
  readonly contextMessages: readonly Message[];
  readonly pendingMessages: readonly Message[];
  readonly totalHistoryCount: number;
  readonly contextTruncated: boolean;
  /** Nothing is given although messages wait: this agent works in the folder of the project. */
  readonly waitsFor: string | null;
}

/**
 * Gives the messages of one source, in order: those that the session holds unanswered, marked `repeat`, and
 * new ones. Binds them to the session: if it ends before it answered, they all are given again to the next
 * one (trap 19). A source with new messages comes first, the one that has waited longest; then the source
 * whose messages were given longest ago. That one takes turns with what is new when a minute has passed since then, and
 * the session is in no turn and asks nobody. Repeating the call is safe: nothing depends on whether the response
 * arrives.
 *
 * A call gives at most PAGE_BYTES. When not everything fits, new messages come alone, and the rest of them
 * with the next call; held messages that do not fit into one answer together come batch by batch, the one
 * given longest ago first.
 *
 * An agent that has reached its limit of today is given nothing new (wake-ups/refuse-over-limit.ts).
 */
export async function deliverMessages(
  { database, clock }: Pick<ServiceDeps, 'database' | 'clock'>,
  caller: AgentCaller,
): Promise<Delivery> {
  const now = clock.now();
  const { rows, waitsFor } = await give({ database }, caller, now);
  const [first] = rows;
  if (!first) return { ...NOTHING, waitsFor };
  if (rows.some((row) => !row.repeat)) database.onCommit(new Set([keys.log(caller.projectId)]));
  const threadId = first.conversation_id ?? chatThreadId(caller.projectId, caller.agentId);
  const given = rows.map((row) => row.id);
  const { context, total, isTruncated } = await readContext(database, caller.agentId, threadId, given);
  return {
    batchId: first.batch_id,
    source: sourceOf(first),
    contextMessages: context,
    pendingMessages: rows.map((row) => ({ ...toMessage(row), ...(row.repeat && { repeat: true as const }) })),
    totalHistoryCount: total,
    contextTruncated: isTruncated,
    waitsFor: null,
  };
}

interface Given {
  readonly rows: readonly DeliveredRow[];
  readonly waitsFor: string | null;
}

async function give(deps: Pick<ServiceDeps, 'database'>, caller: AgentCaller, now: Date): Promise<Given> {
  if (caller.sharesFolder) return giveInFolder(deps, caller, now);
  const { database } = deps;
  // Two calls of one session at the same time: the second has waited for the first, and reads again what is
  // held now.
  const rows = (await deliver(database, caller, now)) ?? (await deliver(database, caller, now));
  // Its project has come to share the folder since the caller was read.
  return rows === null ? giveInFolder(deps, caller, now) : { rows, waitsFor: null };
}

/** One agent at a time works in the folder of the project: who comes second finds the first at work. */
async function giveInFolder(
  deps: Pick<ServiceDeps, 'database'>,
  caller: AgentCaller,
  now: Date,
): Promise<Given> {
  const { projectId, sessionId } = caller;
  return deps.database.transaction(async (tx) => {
    await lockFolder(tx.db, projectId);
    const members = (await readFolders(tx.db, [projectId], now)).get(projectId) ?? [];
    const { threads, waitsFor } = decideFolder(members, sessionId);
    await noteFolderWait(tx, { ...caller, id: sessionId }, waitsFor);
    const rows = await deliverInFolder(tx, caller, { now, threads });
    if (rows.some((row) => !row.repeat)) await tellWaitingStarts(tx, projectId);
    return { rows, waitsFor };
  });
}

const NOTHING: Delivery = {
  batchId: null,
  source: null,
  contextMessages: [],
  pendingMessages: [],
  totalHistoryCount: 0,
  contextTruncated: false,
  waitsFor: null,
};

/** In a conversation all messages that are given are from the partner. */
function sourceOf(row: DeliveredRow): MessageSource {
  return row.conversation_id === null
    ? { kind: 'chat' }
    : { kind: 'conversation', conversationId: row.conversation_id, agentId: row.sender_id };
}
