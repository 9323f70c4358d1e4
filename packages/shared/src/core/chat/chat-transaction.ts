import type { TextParams } from '../../contract/chat.ts';
import { appendChangeEvents } from '../../platform/change-log/change-log.ts';
import { keys } from '../../platform/change-log/keys.ts';
import type { Tx } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import { type SystemTextCode, systemText } from '../../platform/texts/system-texts.ts';
import type { StoredLine } from '../../platform/transcript/transcript.ts';
import { transcriptLine, transcriptLineBytes } from '../../platform/transcript/transcript-line.ts';
import type { ServiceDeps } from '../deps.ts';
import { appendMessage, type NewMessage } from './thread-queries.ts';

/** A transaction that may store chat messages; their lines are written to chat.jsonl after the commit. */
export interface ChatTx extends Tx {
  readonly lines: StoredLine[];
}

/** Runs one business transaction. Returns after the stored lines are in the file, or after 500 ms. */
export async function chatTransaction<T>(
  deps: Pick<ServiceDeps, 'database' | 'transcripts'>,
  work: (tx: ChatTx) => Promise<T>,
): Promise<T> {
  const lines: StoredLine[] = [];
  const result = await deps.database.transaction((tx) => {
    // A retried transaction stores its lines again.
    lines.length = 0;
    return work({ ...tx, lines });
  });
  await Promise.all(lines.map((line) => deps.transcripts.noteStored(line)));
  return result;
}

/**
 * Stores a message at the end of its thread: sequence number, place in chat.jsonl, row and change event in
 * the caller's transaction. The row lock of the thread makes both counters gapless and in commit order. It
 * also counts the news: visible lines that no person wrote. Returns the bytes that the agent of the thread
 * has written in this hour, with this message.
 */
export async function storeMessage(tx: ChatTx, message: NewMessage): Promise<{ saidBytes: number }> {
  const row = await appendMessage(tx.db, message, transcriptLineBytes(message));
  if (!row) throw new Error('the thread of a member is missing');
  tx.lines.push({
    projectId: message.projectId,
    agentId: message.agentId,
    workingDirectory: row.workingDirectory,
    offset: row.logOffset,
    line: transcriptLine({ ...message, createdAt: row.createdAt.toISOString() }),
  });
  await appendChangeEvents(tx, [
    { kind: 'message', projectId: message.projectId, ref: { messageId: message.id } },
  ]);
  if (message.deliverTo !== undefined) tx.dirty(keys.membership(message.projectId, message.deliverTo));
  return { saidBytes: row.saidBytes };
}

/**
 * A visible system line (an error: `sys_…`) or an invisible one (`msg_…`), in the language of the product.
 */
export async function storeSystemMessage(
  tx: ChatTx,
  deps: Pick<ServiceDeps, 'config'>,
  input: { projectId: string; agentId: string; code: SystemTextCode; params?: TextParams; visible: boolean },
): Promise<void> {
  const params = input.params ?? {};
  await storeMessage(tx, {
    id: newId(input.visible ? 'sys' : 'msg'),
    projectId: input.projectId,
    agentId: input.agentId,
    sender: 'system',
    senderId: 'system',
    content: systemText(deps.config.locale, input.code, params),
    visible: input.visible,
    system: { code: input.code, params },
  });
}
