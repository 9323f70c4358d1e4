import type { Message } from '../../../contract/chat.ts';
import { keys } from '../../../platform/changes/keys.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { AgentCaller } from '../../access/agent-caller.ts';
import { toMessage } from '../message-queries.ts';
import { chatThreadId } from '../thread-id.ts';
import { type DeliveredRow, deliver, readContext } from './deliver-queries.ts';

export type MessageSource =
  | { readonly kind: 'chat' }
  | { readonly kind: 'conversation'; readonly conversationId: string; readonly agentId: string };

export interface Delivery {
  /** Names what this call gave; null when nothing waits. An answer that names it answers this and no more. */
  readonly batchId: string | null;
  readonly source: MessageSource | null;
  readonly contextMessages: readonly Message[];
  readonly pendingMessages: readonly Message[];
  readonly totalHistoryCount: number;
  readonly contextTruncated: boolean;
}

/**
 * Gives the messages of one source, in order: what the session holds unanswered, marked `repeat`, and what is new.
 * Binds them to the session: if that ends before it answered, they all come back (trap 19). A source with something
 * new comes first, the one that has waited longest; then what was given longest ago. Repeating it is safe: nothing
 * depends on whether the response arrives.
 *
 * A call gives at most PAGE_BYTES. What is new then comes alone, and the rest of it with the next call; what is held and
 * fits into no answer together comes batch by batch, the one given longest ago first.
 */
export async function deliverMessages(database: Database, caller: AgentCaller): Promise<Delivery> {
  // Two calls of one session at once: the second has waited for the first, and looks again at what is held now.
  const rows = (await deliver(database, caller)) ?? (await deliver(database, caller)) ?? [];
  const [first] = rows;
  if (!first) return NOTHING;
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
  };
}

const NOTHING: Delivery = {
  batchId: null,
  source: null,
  contextMessages: [],
  pendingMessages: [],
  totalHistoryCount: 0,
  contextTruncated: false,
};

/** In a conversation everything that is handed over was said by the partner. */
function sourceOf(row: DeliveredRow): MessageSource {
  return row.conversation_id === null
    ? { kind: 'chat' }
    : { kind: 'conversation', conversationId: row.conversation_id, agentId: row.sender_id };
}
