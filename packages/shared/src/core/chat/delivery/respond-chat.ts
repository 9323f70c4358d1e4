import type { Message } from '../../../contract/chat.ts';
import { keys } from '../../../platform/change-log/keys.ts';
import { isUniqueViolation } from '../../../platform/db/database.ts';
import { AppError } from '../../../platform/errors.ts';
import { transcriptLine, transcriptLineBytes } from '../../../platform/transcript/transcript-line.ts';
import type { AgentCaller } from '../../access/agent-caller.ts';
import { lastSource } from '../../conversations/resolve-target.ts';
import type { ServiceDeps } from '../../deps.ts';
import { keptMessage, keptResult } from '../../idempotency/idempotent-results.ts';
import { mentionedPeople } from '../../mentions/mentioned.ts';
import { applySessionCommand } from '../../sessions/session-lifecycle.ts';
import { SessionQueries } from '../../sessions/session-queries.ts';
import { byteQuota, quotaReached } from '../quota/byte-quota.ts';
import { failHeldForQuota } from '../quota/quota-failure.ts';
import { ViewerQueries } from '../viewer-queries.ts';
import { requireBatch, sameAnswer } from './delivery-batches.ts';
import { type ChatAnswer, insertAnswer, type RespondRow } from './respond-queries.ts';

/**
 * Answers in the chat with people, in one statement. Null when it stored nothing: the session is over, the
 * batch does not belong to this chat, or a conversation was given last.
 */
export async function respondInChat(
  deps: ServiceDeps,
  caller: AgentCaller,
  answer: ChatAnswer,
): Promise<StoredAnswer | null> {
  const claims = answer.batchId !== undefined && answer.answers;
  const { content } = answer;
  const mentions =
    content === null ? [] : await mentionedPeople(deps.database.db, { projectId: caller.projectId, content });
  const said = await storeAnswer(deps, caller, answer, { claims, mentions });
  if (isStored(said)) return said;
  if (claims) {
    const batch = await requireBatch(deps.database.db, caller, answer.batchId ?? '');
    const first = await sameAnswer(deps.database.db, batch, answer.content);
    if (first) return { message: await keptMessage(deps.database, first), answered: first.answered };
  }
  if (said === 'over_quota') return refuseForQuota(deps, caller, answer);
  // Another text about a batch that is answered already: a further message.
  const further = await storeAnswer(deps, caller, answer, { claims: false, mentions });
  if (isStored(further)) return further;
  if (further === 'over_quota') return refuseForQuota(deps, caller, answer);
  throw new Error('an answer that claims no batch was refused');
}

interface StoredAnswer {
  readonly message: Message | null;
  readonly answered: number;
}
type NotStored = 'answered_before' | 'over_quota';

function isStored(said: StoredAnswer | null | NotStored): said is StoredAnswer | null {
  return typeof said !== 'string';
}

/** Null: the session is over; it must learn that first. */
async function refuseForQuota(
  deps: ServiceDeps,
  caller: AgentCaller,
  { batchId, onlyIfLast }: ChatAnswer,
): Promise<null> {
  const source = await lastSource(deps.database.db, caller);
  if (source === null) return null;
  // An answer to the conversation that was given last: nobody in the chat waits for it.
  if (onlyIfLast && source !== 'chat') throw quotaReached(deps, caller, { quota: await byteQuota(deps) });
  throw await failHeldForQuota(deps, caller, batchId);
}

/** `claims`: stores nothing when an earlier answer named the same batch. */
async function storeAnswer(
  deps: ServiceDeps,
  caller: AgentCaller,
  answer: ChatAnswer,
  { claims, mentions }: { claims: boolean; mentions: readonly string[] },
): Promise<StoredAnswer | null | NotStored> {
  const { id } = answer;
  const line = {
    id,
    sender: 'agent' as const,
    senderId: caller.agentId,
    content: answer.content ?? '',
    visible: true,
  };
  let row: RespondRow | undefined;
  try {
    row = await insertAnswer(deps.database, caller, answer, {
      claims,
      mentions,
      lineBytes: transcriptLineBytes(line),
      quota: await byteQuota(deps),
    });
  } catch (error) {
    if (isUniqueViolation(error, 'chat_messages_pkey')) throw messageIdTaken();
    if (!isUniqueViolation(error, 'idempotent_results_pkey')) throw error;
    const first = await keptResult(deps.database.db, caller, {
      tool: 'respond_chat',
      key: answer.idempotencyKey,
    });
    if (first) return { message: await keptMessage(deps.database, first), answered: first.answered };
    throw error;
  }
  if (!row) return null;
  if (row.is_taken) throw messageIdTaken();
  if (!row.has_room) return 'over_quota';
  if (!row.is_said) return 'answered_before';
  deps.database.onCommit(new Set([keys.log(caller.projectId)]));
  if (
    answer.content !== null &&
    row.now !== null &&
    row.log_offset !== null &&
    row.working_directory !== null
  )
    await deps.transcripts.noteStored({
      projectId: caller.projectId,
      agentId: caller.agentId,
      workingDirectory: row.working_directory,
      offset: row.log_offset,
      line: transcriptLine({ ...line, createdAt: row.now.toISOString() }),
    });
  if (row.close_requested) await settleClose(deps, caller);
  return { message: messageOf(caller, answer, row), answered: row.answered };
}

export function messageIdTaken(): AppError {
  return new AppError('invalid_input', 'This message_id stands already. Take a new one for each answer.');
}

/** A close that had to wait takes effect when the session has no more work. */
async function settleClose(deps: ServiceDeps, caller: AgentCaller): Promise<void> {
  await deps.database.transaction(async (tx) => {
    const sessions = new SessionQueries(tx.db);
    await sessions.lockMembership(caller.projectId, caller.agentId);
    const session = await sessions.lockById(caller.sessionId);
    if (!session) return;
    const now = await tx.now();
    const work = await sessions.work(session.id);
    const viewersLeft = await new ViewerQueries(tx.db).count(caller, now);
    await applySessionCommand(tx, session, { type: 'settle_close', viewersLeft, work }, now);
  });
}

/** All values are known: reading the row again would be the most expensive part of an answer. */
function messageOf(caller: AgentCaller, answer: ChatAnswer, row: RespondRow): Message | null {
  if (answer.content === null || row.now === null || row.seq === null) return null;
  return {
    id: answer.id,
    projectId: caller.projectId,
    senderId: caller.agentId,
    senderName: row.agent_name ?? caller.agentId,
    sender: 'agent',
    content: answer.content,
    createdAt: row.now.toISOString(),
    visible: true,
    state: 'stored',
    ...(row.retrieval_run_id !== null && { retrievalRunId: row.retrieval_run_id }),
    ...(row.steps && { steps: row.steps }),
    ...(answer.counted && { usage: answer.counted.usage }),
    ...(answer.counted?.model && { model: answer.counted.model }),
    seq: row.seq,
  };
}
