import { sql } from 'kysely';
import type { TextParams } from '../../contract/chat.ts';
import { appendFacts } from '../../platform/changes/change-log.ts';
import { keys } from '../../platform/changes/keys.ts';
import type { Tx } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import { type SystemTextCode, systemText } from '../../platform/texts/system-texts.ts';
import type { StoredLine } from '../../platform/transcript/transcript.ts';
import { transcriptLine, transcriptLineBytes } from '../../platform/transcript/transcript-line.ts';
import type { ServiceDeps } from '../deps.ts';
import { addSaidBytes } from './quota/said-bytes.ts';

/** A transaction that may store chat messages; their lines go to chat.jsonl once it has committed. */
export interface ChatTx extends Tx {
  readonly lines: StoredLine[];
}

/** One business transaction, then the lines it stored are in the file (or 500 ms have gone by) before it returns. */
export async function chatTransaction<T>(
  deps: Pick<ServiceDeps, 'database' | 'transcripts'>,
  work: (tx: ChatTx) => Promise<T>,
): Promise<T> {
  const lines: StoredLine[] = [];
  const result = await deps.database.transaction((tx) => {
    // A retried transaction stores its lines anew.
    lines.length = 0;
    return work({ ...tx, lines });
  });
  await Promise.all(lines.map((line) => deps.transcripts.noteStored(line)));
  return result;
}

/** The chat thread of (project, agent): between people and the agent. */
export function chatThreadId(projectId: string, agentId: string): string {
  return `${projectId}/${agentId}`;
}

export interface NewMessage {
  readonly id: string;
  readonly projectId: string;
  readonly agentId: string;
  readonly sender: 'user' | 'agent' | 'system';
  readonly senderId: string;
  readonly humanId?: string | undefined;
  readonly receiverId?: string | undefined;
  readonly content: string;
  readonly visible: boolean;
  readonly relatedTaskId?: string | undefined;
  readonly clientMessageId?: string | undefined;
  /** The agent that must read it; absent: nobody is waited for. */
  readonly deliverTo?: string | undefined;
  /** The schedule that wrote it in the person's name. */
  readonly scheduleId?: string | undefined;
  readonly system?: { readonly code: string; readonly params: TextParams };
}

/**
 * Stores a message at the end of its thread: sequence number, place in chat.jsonl, row and fact in the caller's
 * transaction. The thread's row lock makes both counters gapless and in commit order. What people may not have read is
 * counted too: visible lines that no person wrote. Returns what its agent has written in this hour, with it.
 */
export async function storeMessage(tx: ChatTx, message: NewMessage): Promise<{ saidBytes: number }> {
  const bytes = transcriptLineBytes(message);
  const said = sql`${message.sender === 'agent' ? bytes : 0}::bigint`;
  const news = message.visible && message.sender !== 'user' ? 1 : 0;
  const { rows } = await sql<{
    createdAt: Date;
    logOffset: number;
    workingDirectory: string;
    saidBytes: number;
  }>`
    with t as (
      update chat_threads t set last_seq = t.last_seq + 1, log_bytes = t.log_bytes + ${bytes}::bigint,
        ${addSaidBytes(said)}, news_count = t.news_count + ${news}::int,
        news_hour = case when ${news}::int = 1 then date_trunc('hour', clock_timestamp(), 'UTC') else t.news_hour end
      where t.id = ${chatThreadId(message.projectId, message.agentId)}
      returning t.id, t.last_seq, t.said_bytes, t.log_bytes - ${bytes}::bigint as log_offset,
        date_trunc('milliseconds', clock_timestamp()) as now
    )
    insert into chat_messages (id, thread_id, seq, project_id, agent_id, sender, sender_id, human_id, receiver_id,
      content, created_at, visible, related_task_id, client_message_id, deliver_to, schedule_id, system, log_offset)
    select ${message.id}, t.id, t.last_seq, ${message.projectId}, ${message.agentId}, ${message.sender},
      ${message.senderId}, ${message.humanId ?? null}::text, ${message.receiverId ?? null}::text, ${message.content},
      t.now, ${message.visible}, ${message.relatedTaskId ?? null}::text, ${message.clientMessageId ?? null}::text,
      ${message.deliverTo ?? null}::text, ${message.scheduleId ?? null}::text, ${message.system ? JSON.stringify(message.system) : null}::jsonb, t.log_offset
    from t
    returning created_at, log_offset, (select said_bytes from t) as said_bytes,
      (select working_directory from projects p where p.id = ${message.projectId}) as working_directory`.execute(
    tx.db,
  );
  const row = rows[0];
  if (!row) throw new Error('the thread of a member is missing');
  tx.lines.push({
    projectId: message.projectId,
    agentId: message.agentId,
    workingDirectory: row.workingDirectory,
    offset: row.logOffset,
    line: transcriptLine({ ...message, createdAt: row.createdAt.toISOString() }),
  });
  await appendFacts(tx, [{ kind: 'message', projectId: message.projectId, ref: { messageId: message.id } }]);
  if (message.deliverTo !== undefined) tx.dirty(keys.pair(message.projectId, message.deliverTo));
  return { saidBytes: row.saidBytes };
}

/** A visible system line (an error: `sys_…`) or an invisible one (`msg_…`), in the product's language. */
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

/** What the newest visible line of a chat says, when the system said it. */
export async function lastWord(
  tx: Tx,
  pair: { projectId: string; agentId: string },
): Promise<TextParams | null> {
  const { rows } = await sql<{ params: TextParams | null }>`
    select system -> 'params' as params from chat_messages
    where thread_id = ${chatThreadId(pair.projectId, pair.agentId)} and visible
    order by seq desc limit 1`.execute(tx.db);
  return rows[0]?.params ?? null;
}
