import { sql } from 'kysely';
import { publishDelta } from '../changes/delta.ts';
import { keys } from '../changes/keys.ts';
import { chatLogLine, chatLogLineBytes } from '../chat-log/chat-log-line.ts';
import { AGENT_MESSAGE_MAX, type Message } from '../contract/chat.ts';
import { textSchema } from '../contract/ids.ts';
import { isUniqueViolation, type Queryable } from '../db/database.ts';
import {
  countMessages,
  MESSAGE_COLUMNS,
  MESSAGE_SENDER_JOIN,
  type MessageRow,
  toMessage,
} from '../db/repositories/message-rows.ts';
import { SessionRepository } from '../db/repositories/session-repository.ts';
import { ViewerRepository } from '../db/repositories/viewer-repository.ts';
import { AppError } from '../errors.ts';
import { newId } from '../ids.ts';
import type { AgentCaller } from './agent-caller.ts';
import { ChatHistory } from './chat-history.ts';
import { requireRelatedTask } from './chat-target.ts';
import { chatThreadId, chatTransaction, storeMessage } from './chat-transaction.ts';
import type { ServiceDeps } from './deps.ts';
import { applySessionCommand, nowIn } from './session-lifecycle.ts';

/** Messages of one source that one call hands over at most; the rest comes with the next call. */
const BATCH = 50;
const CONTEXT_MESSAGES = 20;

export interface Delivery {
  readonly source: null | { readonly kind: 'chat' };
  readonly contextMessages: readonly Message[];
  readonly pendingMessages: readonly (Message & { repeat?: true })[];
  readonly totalHistoryCount: number;
  readonly contextTruncated: boolean;
  readonly messageIds: readonly string[];
}

export interface RespondInput {
  readonly content?: string | undefined;
  /** false: more is to come, what was delivered stays unanswered. */
  readonly done?: boolean | undefined;
  readonly targetAgentId?: string | undefined;
  readonly conversationId?: string | undefined;
  /** The id under which the answer was streamed: it becomes the message's. */
  readonly messageId?: string | undefined;
  readonly idempotencyKey?: string | undefined;
}

/** Messages on their way to an agent and its answers on their way back. */
export class DeliveryService {
  readonly #deps: ServiceDeps;
  readonly #history: ChatHistory;

  constructor(deps: ServiceDeps) {
    this.#deps = deps;
    this.#history = new ChatHistory(deps);
  }

  /**
   * Hands over what is unread, in order, and binds it to the session: if that ends before it answered, it all
   * comes back (trap 19). What was handed over before but not seen to arrive is given again, marked `repeat`.
   */
  async take(caller: AgentCaller): Promise<Delivery> {
    const rows = await this.#deliver(caller);
    if (rows.length === 0) return NOTHING;
    const messageIds = rows.map((row) => row.id);
    const [context, total] = await Promise.all([
      this.#context(caller, messageIds),
      countMessages(this.#deps.database.db, chatThreadId(caller.projectId, caller.agentId)),
    ]);
    return {
      source: { kind: 'chat' },
      contextMessages: context.slice(-CONTEXT_MESSAGES),
      pendingMessages: rows.map((row) => ({
        ...toMessage(row),
        ...(row.repeat && { repeat: true as const }),
      })),
      totalHistoryCount: total,
      contextTruncated: context.length > CONTEXT_MESSAGES,
      messageIds,
    };
  }

  /** The response that carried them was written to a live connection. Idempotent. */
  async told(sessionId: string, messageIds: readonly string[]): Promise<void> {
    if (messageIds.length === 0) return;
    await sql`update chat_messages set told_at = clock_timestamp()
      where id = any(${messageIds}::text[]) and delivered_session_id = ${sessionId} and told_at is null`.execute(
      this.#deps.database.db,
    );
  }

  /**
   * Answers everything that was delivered to the session; without content: read, no answer needed. The same
   * idempotency key in the same session gives the first result and stores nothing.
   */
  async respond(
    caller: AgentCaller,
    input: RespondInput,
  ): Promise<{ message: Message | null; answered: number }> {
    const first = await this.#firstResult(caller, input.idempotencyKey);
    if (first) return first;
    await this.#requireChatSource(caller, input);
    const content = input.content === undefined ? null : agentText(input.content);
    if (input.messageId !== undefined && !MESSAGE_ID.test(input.messageId))
      throw new AppError('invalid_input', 'message_id is msg_ and 20 characters of a–z and 0–9.');
    if (content === null && input.done === false)
      throw new AppError(
        'invalid_input',
        'Give content, or leave done out: there is nothing to say otherwise.',
      );
    return this.#store(caller, {
      id: input.messageId ?? newId('msg'),
      content,
      answers: input.done !== false,
      idempotencyKey: input.idempotencyKey,
    });
  }

  /** A message that answers nothing in particular: to a person of the project. Agents need a conversation. */
  async send(
    caller: AgentCaller,
    input: {
      targetAgentId: string;
      content: string;
      relatedTaskId?: string | undefined;
      conversationId?: string | undefined;
      idempotencyKey?: string | undefined;
    },
  ): Promise<{ message: Message }> {
    const first = await this.#firstResult(caller, input.idempotencyKey);
    if (first) return { message: firstMessage(first) };
    const content = agentText(input.content);
    await this.#requirePerson(caller, input.targetAgentId);
    if (input.relatedTaskId !== undefined)
      await requireRelatedTask(this.#deps.database.db, caller.projectId, input.relatedTaskId);
    const id = newId('msg');
    const earlier = await chatTransaction(this.#deps, async (tx) => {
      const session = await new SessionRepository(tx.db).lockById(caller.sessionId);
      if (!session || session.state === 'ended') throw sessionOver();
      // The same call, sent twice at once: the session's lock puts them in a row, and the second looks again.
      const first = await this.#firstResult(caller, input.idempotencyKey, tx.db);
      if (first) return firstMessage(first);
      await storeMessage(tx, {
        id,
        projectId: caller.projectId,
        agentId: caller.agentId,
        sender: 'agent',
        senderId: caller.agentId,
        receiverId: input.targetAgentId,
        content,
        visible: true,
        relatedTaskId: input.relatedTaskId,
      });
      await tx.db
        .updateTable('agentSessions')
        .set({ lastActivityAt: await nowIn(tx, this.#deps.clock) })
        .where('id', '=', caller.sessionId)
        .execute();
      if (input.idempotencyKey !== undefined)
        await tx.db
          .insertInto('idempotentResults')
          .values({
            sessionId: caller.sessionId,
            idempotencyKey: input.idempotencyKey,
            tool: 'send_message',
            result: JSON.stringify({ messageId: id, answered: 0 }),
          })
          .execute();
      return null;
    });
    if (earlier) return { message: earlier };
    const message = (await this.#history.byIds([id])).get(id);
    if (!message) throw new Error('a stored message is gone');
    return { message };
  }

  /** Shows what an answer has become so far; nothing is stored. Ignored while the session holds nothing. */
  async reportDelta(
    caller: AgentCaller,
    delta: { messageId: string; text: string; offset: number },
  ): Promise<void> {
    if (!caller.live || !MESSAGE_ID.test(delta.messageId)) return;
    await publishDelta(this.#deps.database.pool, {
      projectId: caller.projectId,
      agentId: caller.agentId,
      ...delta,
    });
  }

  async #deliver(caller: AgentCaller): Promise<(MessageRow & { repeat: boolean })[]> {
    const rows = await this.#deps.database.statement<MessageRow & { repeat: boolean }>({
      name: 'deliver',
      text: DELIVER,
      values: [caller.sessionId, caller.agentId, caller.projectId, BATCH],
    });
    if (rows.some((row) => !row.repeat)) this.#deps.database.onCommit(new Set([keys.log(caller.projectId)]));
    return rows.sort((a, b) => a.seq - b.seq);
  }

  /**
   * What was said so far, one more than is shown. By what has been said, not by place: the agent's last answer stands
   * behind a message that came while it was written.
   */
  async #context(caller: AgentCaller, handedOver: readonly string[]): Promise<Message[]> {
    const { rows } = await sql<MessageRow>`
      select ${sql.raw(MESSAGE_COLUMNS)} from chat_messages m ${sql.raw(MESSAGE_SENDER_JOIN)}
      where m.thread_id = ${chatThreadId(caller.projectId, caller.agentId)} and m.visible
        and m.sender <> 'system' and not (m.sender = 'user' and m.state = 'stored')
        and m.id <> all(${handedOver}::text[])
      order by m.seq desc limit ${CONTEXT_MESSAGES + 1}`.execute(this.#deps.database.db.withoutPlugins());
    return rows.reverse().map(toMessage);
  }

  async #firstResult(
    caller: AgentCaller,
    key: string | undefined,
    db: Queryable = this.#deps.database.db,
  ): Promise<{ message: Message | null; answered: number } | null> {
    if (key === undefined) return null;
    const { rows } = await sql<{ messageId: string | null; answered: number }>`
      select result ->> 'messageId' as message_id, (result ->> 'answered')::int as answered
      from idempotent_results where session_id = ${caller.sessionId} and idempotency_key = ${key}`.execute(
      db,
    );
    const row = rows[0];
    if (!row) return null;
    const message =
      row.messageId === null
        ? null
        : ((await this.#history.byIds([row.messageId])).get(row.messageId) ?? null);
    return { message, answered: row.answered };
  }

  /** A named target must be a person of this chat; an agent is answered in a conversation. */
  async #requireChatSource(caller: AgentCaller, input: RespondInput): Promise<void> {
    if (input.targetAgentId !== undefined) await this.#requirePerson(caller, input.targetAgentId);
  }

  async #requirePerson(caller: AgentCaller, targetId: string): Promise<void> {
    // `user` is how people are named in messages: whoever writes in this chat.
    if (targetId === 'user') return;
    const target = await this.#deps.database.db
      .selectFrom('agents as a')
      .leftJoin('projectAgents as pa', (join) =>
        join.onRef('pa.agentId', '=', 'a.id').on('pa.projectId', '=', caller.projectId),
      )
      .select(['a.type', 'a.accessLevel', 'pa.agentId as memberId'])
      .where('a.id', '=', targetId)
      .where('a.deletedAt', 'is', null)
      .executeTakeFirst();
    if (!target)
      throw new AppError(
        'agent_not_found',
        'There is no such agent or person. list_project_agents names them.',
      );
    if (target.type === 'ai') throw conversationRequired(this.#deps.config.locale, targetId);
    if (target.memberId === null && target.accessLevel !== 'owner')
      throw new AppError(
        'target_agent_not_in_project',
        'This person is not in the project. list_project_agents names them.',
      );
  }

  async #store(
    caller: AgentCaller,
    input: { id: string; content: string | null; answers: boolean; idempotencyKey: string | undefined },
  ): Promise<{ message: Message | null; answered: number }> {
    const { id } = input;
    const line = {
      id,
      sender: 'agent' as const,
      senderId: caller.agentId,
      content: input.content ?? '',
      visible: true,
    };
    let row: RespondRow | undefined;
    try {
      [row] = await this.#deps.database.statement<RespondRow>({
        name: 'respond',
        text: RESPOND,
        values: [
          caller.sessionId,
          chatThreadId(caller.projectId, caller.agentId),
          input.content === null ? null : id,
          chatLogLineBytes(line),
          caller.projectId,
          caller.agentId,
          input.content,
          input.answers,
          input.idempotencyKey ?? null,
        ],
      });
    } catch (error) {
      if (isUniqueViolation(error, 'chat_messages_pkey'))
        throw new AppError(
          'invalid_input',
          'This message_id stands already. Take a new one for each answer.',
        );
      if (!isUniqueViolation(error, 'idempotent_results_pkey')) throw error;
      const first = await this.#firstResult(caller, input.idempotencyKey);
      if (first) return first;
      throw error;
    }
    if (!row) throw sessionOver();
    this.#deps.database.onCommit(new Set([keys.log(caller.projectId)]));
    if (
      input.content !== null &&
      row.now !== null &&
      row.log_offset !== null &&
      row.working_directory !== null
    )
      await this.#deps.chatLog.noteStored({
        projectId: caller.projectId,
        agentId: caller.agentId,
        workingDirectory: row.working_directory,
        offset: row.log_offset,
        line: chatLogLine({ ...line, createdAt: row.now.toISOString() }),
      });
    if (row.close_requested) await this.#settleClose(caller);
    const message = input.content === null ? null : ((await this.#history.byIds([id])).get(id) ?? null);
    return { message, answered: row.answered };
  }

  /** A close that had to wait takes effect when the last of what kept the session is done. */
  async #settleClose(caller: AgentCaller): Promise<void> {
    await this.#deps.database.transaction(async (tx) => {
      const sessions = new SessionRepository(tx.db);
      await sessions.lockPair(caller.projectId, caller.agentId);
      const session = await sessions.lockById(caller.sessionId);
      if (!session) return;
      const now = await nowIn(tx, this.#deps.clock);
      const work = await sessions.work(session.id);
      const viewersLeft = await new ViewerRepository(tx.db).count(caller, now);
      await applySessionCommand(tx, session, { type: 'settle_close', viewersLeft, work }, now);
    });
  }
}

const MESSAGE_ID = /^msg_[0-9a-z]{20}$/;
const agentTextSchema = textSchema(1, AGENT_MESSAGE_MAX);

function agentText(content: string): string {
  const parsed = agentTextSchema.safeParse(content);
  if (!parsed.success)
    throw new AppError('invalid_input', `content: ${parsed.error.issues[0]?.message ?? 'not a text'}.`);
  return parsed.data;
}

const NOTHING: Delivery = {
  source: null,
  contextMessages: [],
  pendingMessages: [],
  totalHistoryCount: 0,
  contextTruncated: false,
  messageIds: [],
};

function sessionOver(): AppError {
  return new AppError(
    'unauthenticated',
    'This session is over. Call get_next_action to learn why, then stop.',
  );
}

function conversationRequired(locale: 'ja' | 'en', targetId: string): AppError {
  const call = `start_conversation(participant_agent_id: "${targetId}", initial_message: "...")`;
  const text =
    locale === 'ja'
      ? `AIエージェント間のメッセージ送信にはアクティブな会話が必要です。先に${call}を呼び出してください。`
      : `Messages between AI agents need an active conversation. Call ${call} first.`;
  return new AppError('conversation_required_for_ai_to_ai', text, { details: { targetAgentId: targetId } });
}

/**
 * Delivery in one statement. The session's row is locked first and must still be active: a session that ended in
 * between gets nothing (I-2). Two calls of one session at once: the second waits and finds nothing new.
 */
const DELIVER = `
  with again as (
    select m.id from chat_messages m
    where m.delivered_session_id = $1 and m.state = 'delivered' and m.told_at is null
  ), unread as (
    select m.id from chat_messages m
    where m.deliver_to = $2 and m.project_id = $3 and m.state = 'stored'
    order by m.seq limit $4
  ), session as (
    update agent_sessions set last_activity_at = clock_timestamp(), last_seen_at = clock_timestamp(), last_source = 'chat'
    where id = $1 and state = 'active' and purpose = 'chat'
      and (exists (select from unread) or exists (select from again))
    returning id
  ), delivered as (
    update chat_messages m set state = 'delivered', delivered_session_id = $1, delivered_at = clock_timestamp(),
      told_at = null
    from unread, session
    where m.id = unread.id and m.state = 'stored'
    returning m.*
  ), fact as (
    insert into change_log (project_id, kind, ref)
    select $3, 'message', jsonb_build_object('messageId', id) from delivered
  ), handed as (
    select d.*, false as repeat from delivered d
    union all
    select m.*, true as repeat from chat_messages m join again on again.id = m.id join session on true
  )
  select ${MESSAGE_COLUMNS}, m.repeat from handed m ${MESSAGE_SENDER_JOIN} order by m.seq`;

interface RespondRow {
  answered: number;
  close_requested: boolean;
  now: Date | null;
  log_offset: number | null;
  working_directory: string | null;
}

/**
 * The answer in one statement: session locked and alive, what it held of its chat answered, the message with its
 * place in thread and file, the facts, the idempotency key. $3 null: read, no answer needed.
 */
const RESPOND = `
  with session as (
    update agent_sessions set last_activity_at = clock_timestamp(), last_seen_at = clock_timestamp(), control = null
    where id = $1 and state <> 'ended'
    returning id, close_requested_at is not null as close_requested
  ), answered as (
    update chat_messages m set state = 'answered', answered_at = clock_timestamp(), no_reply = $3::text is null,
      told_at = coalesce(told_at, clock_timestamp())
    from session
    where m.delivered_session_id = session.id and m.state = 'delivered' and m.thread_id = $2 and $8::boolean
    returning m.id
  ), t as (
    update chat_threads set last_seq = last_seq + 1, log_bytes = log_bytes + $4::bigint
    from session where chat_threads.id = $2 and $3::text is not null
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
    select $5, 'session', jsonb_build_object('agentId', $6::text) from session
  ), kept as (
    insert into idempotent_results (session_id, idempotency_key, tool, result)
    select session.id, $9, 'respond_chat',
      jsonb_build_object('messageId', $3::text, 'answered', (select count(*) from answered))
    from session where $9::text is not null
  )
  select (select count(*)::int from answered) as answered, session.close_requested, t.now, t.log_offset,
    (select working_directory from projects where id = $5) as working_directory
  from session left join t on true`;

/** What send_message gives for a key that was used before: a message, or the word that it was used for none. */
function firstMessage(first: { message: Message | null }): Message {
  if (first.message) return first.message;
  throw new AppError('invalid_input', 'This idempotency_key was used by another call. Take a new one.');
}
