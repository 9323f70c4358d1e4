import type { Message } from '../../../contract/chat.ts';
import { keys } from '../../../platform/changes/keys.ts';
import { isUniqueViolation } from '../../../platform/db/database.ts';
import { AppError } from '../../../platform/errors.ts';
import { transcriptLine, transcriptLineBytes } from '../../../platform/transcript/transcript-line.ts';
import type { AgentCaller } from '../../access/agent-caller.ts';
import { lastSource } from '../../conversations/resolve-target.ts';
import type { ServiceDeps } from '../../deps.ts';
import { applySessionCommand } from '../../sessions/session-lifecycle.ts';
import { SessionQueries } from '../../sessions/session-queries.ts';
import { chatThreadId } from '../chat-transaction.ts';
import { byteQuota, quotaReached } from '../quota/byte-quota.ts';
import { failHeldForQuota } from '../quota/quota-failure.ts';
import { THIS_HOUR } from '../quota/said-bytes.ts';
import { ViewerQueries } from '../viewer-queries.ts';
import { requireBatch, sameAnswer } from './delivery-batches.ts';
import { keptMessage, keptResult } from './idempotent-results.ts';

export interface ChatAnswer {
  readonly id: string;
  /** null: read, no answer needed. */
  readonly content: string | null;
  readonly answers: boolean;
  /** The batch that it answers; undefined: the one that was given last. */
  readonly batchId: string | undefined;
  readonly idempotencyKey: string | undefined;
  /** Only if the chat is what was given last: neither a target nor a batch is named. */
  readonly onlyIfLast: boolean;
}

/**
 * Answers in the chat with people, in one statement. Null when it stored nothing: the session is over, the batch is
 * none of this chat, or a conversation was given last.
 */
export async function respondInChat(
  deps: ServiceDeps,
  caller: AgentCaller,
  answer: ChatAnswer,
): Promise<StoredAnswer | null> {
  const claims = answer.batchId !== undefined && answer.answers;
  const said = await storeAnswer(deps, caller, answer, { claims });
  if (isStored(said)) return said;
  if (claims) {
    const batch = await requireBatch(deps.database.db, caller, answer.batchId ?? '');
    const first = await sameAnswer(deps.database.db, batch, answer.content);
    if (first) return { message: await keptMessage(deps.database, first), answered: first.answered };
  }
  if (said === 'over_quota') return refuseForQuota(deps, caller, answer);
  // Other words about a batch that is answered: a further message.
  const further = await storeAnswer(deps, caller, answer, { claims: false });
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

/** Null: the session is over, which it shall hear first. */
async function refuseForQuota(
  deps: ServiceDeps,
  caller: AgentCaller,
  { batchId, onlyIfLast }: ChatAnswer,
): Promise<null> {
  const source = await lastSource(deps.database.db, caller);
  if (source === null) return null;
  // A word to the conversation that was given last: nobody in the chat waits for it.
  if (onlyIfLast && source !== 'chat') throw quotaReached(deps, caller, { quota: await byteQuota(deps) });
  throw await failHeldForQuota(deps, caller, batchId);
}

/** `claims`: stores nothing when an earlier answer named the same batch. */
async function storeAnswer(
  deps: ServiceDeps,
  caller: AgentCaller,
  answer: ChatAnswer,
  { claims }: { claims: boolean },
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
    [row] = await deps.database.statement<RespondRow>({
      name: 'respond',
      text: RESPOND,
      values: [
        caller.sessionId,
        chatThreadId(caller.projectId, caller.agentId),
        answer.content === null ? null : id,
        transcriptLineBytes(line),
        caller.projectId,
        caller.agentId,
        answer.content,
        answer.answers,
        answer.idempotencyKey ?? null,
        answer.onlyIfLast,
        answer.batchId ?? null,
        claims,
        await byteQuota(deps),
      ],
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

/** A close that had to wait takes effect when the last of what kept the session is done. */
async function settleClose(deps: ServiceDeps, caller: AgentCaller): Promise<void> {
  await deps.database.transaction(async (tx) => {
    const sessions = new SessionQueries(tx.db);
    await sessions.lockPair(caller.projectId, caller.agentId);
    const session = await sessions.lockById(caller.sessionId);
    if (!session) return;
    const now = await tx.now();
    const work = await sessions.work(session.id);
    const viewersLeft = await new ViewerQueries(tx.db).count(caller, now);
    await applySessionCommand(tx, session, { type: 'settle_close', viewersLeft, work }, now);
  });
}

interface RespondRow {
  has_room: boolean;
  is_said: boolean;
  answered: number;
  close_requested: boolean | null;
  seq: number | null;
  now: Date | null;
  log_offset: number | null;
  working_directory: string | null;
  agent_name: string | null;
}

/** Everything of it is known: reading it back would be the dearest part of an answer. */
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
    seq: row.seq,
  };
}

/**
 * The answer in one statement: session locked and alive, the messages of the batch that it still held answered, the
 * message with its place in thread and file, the facts, the idempotency key. $3 null: read, no answer needed. $10:
 * only if the chat was given last. $11: the batch, null for the last one. $12: only if no answer named it before. $13:
 * what the agent may write in an hour (byte-quota.ts); of answers that pass the look at the same moment each is stored.
 */
const RESPOND = `
  with room as materialized (
    select $3::text is null or $13::bigint = 0
      or case when said_hour >= ${THIS_HOUR} then said_bytes else 0 end + $4::bigint <= $13::bigint as is_there
    from chat_threads where id = $2
  ), given as (
    select b.id, b.message_ids from delivery_batches b
    where b.session_id = $1 and b.thread_id = $2 and ($11::text is null or b.id = $11)
    order by b.given_at desc limit 1
  ), session as (
    update agent_sessions set last_activity_at = clock_timestamp(), last_seen_at = clock_timestamp(),
      -- An interim word is not what the person who interrupts waits for.
      control = case when not $8::boolean then control end
    where id = $1 and state <> 'ended' and revoked_at is null and (not $10::boolean or coalesce(last_source, 'chat') = 'chat')
      and ($11::text is null or exists (select from given)) and (select is_there from room)
    returning id, close_requested_at is not null as close_requested
  ), claimed as (
    update delivery_batches b set answered_at = clock_timestamp(), answer_id = $3
    from given, session where b.id = given.id and b.answered_at is null and $8::boolean
    returning b.id
  ), said as (
    select session.* from session where not $12::boolean or exists (select from claimed)
  ), answered as (
    update chat_messages m set state = 'answered', answered_at = clock_timestamp(), no_reply = $3::text is null,
      batch_id = given.id
    from said, given
    where m.delivered_session_id = said.id and m.state = 'delivered' and m.thread_id = $2
      and m.id = any(given.message_ids) and $8::boolean
    returning m.id
  ), t as (
    update chat_threads set last_seq = last_seq + 1, log_bytes = log_bytes + $4::bigint,
      said_bytes = case when said_hour >= ${THIS_HOUR} then said_bytes else 0 end + $4::bigint, said_hour = greatest(said_hour, ${THIS_HOUR}),
      news_count = news_count + 1, news_hour = date_trunc('hour', clock_timestamp(), 'UTC')
    from said where chat_threads.id = $2 and $3::text is not null
    returning chat_threads.id, last_seq, log_bytes - $4::bigint as log_offset,
      date_trunc('milliseconds', clock_timestamp()) as now
  ), stored as (
    insert into chat_messages (id, thread_id, seq, project_id, agent_id, sender, sender_id, content, created_at, log_offset)
    select $3, t.id, t.last_seq, $5, $6, 'agent', $6, $7, t.now, t.log_offset from t
    returning id
  ), fact as (
    insert into change_log (project_id, kind, ref)
    select $5, 'message', jsonb_build_object('messageId', id) from (select id from answered union all select id from stored) x
    union all
    select $5, 'session', jsonb_build_object('agentId', $6::text) from said
  ), kept as (
    insert into idempotent_results (session_id, idempotency_key, tool, result)
    select said.id, $9, 'respond_chat',
      jsonb_build_object('messageId', $3::text, 'answered', (select count(*) from answered))
    from said where $9::text is not null
  )
  select room.is_there as has_room, exists (select from said) as is_said, (select count(*)::int from answered) as answered,
    session.close_requested, t.last_seq as seq, t.now, t.log_offset,
    (select working_directory from projects where id = $5) as working_directory,
    (select name from agents where id = $6) as agent_name
  from room left join session on true left join t on true
  where session.id is not null or not room.is_there`;
