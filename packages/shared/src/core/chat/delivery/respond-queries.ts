import type { Database } from '../../../platform/db/database.ts';
import type { AgentCaller } from '../../access/agent-caller.ts';
import { type CountedUsage, countUsageSql } from '../../usage/usage-queries.ts';
import { THIS_HOUR } from '../quota/quota-queries.ts';
import { finishGrowthSql, takenIdSql } from '../steps/growing-answer-queries.ts';
import { IS_SEEN, SEEN_VERSION, statementOfSession } from '../steps/locked-session-queries.ts';
import { chatThreadId } from '../thread-id.ts';

export interface ChatAnswer {
  readonly id: string;
  /** The agent has named the id: the answer may have grown under it. */
  readonly isNamed: boolean;
  /** What it cost; undefined: not known. */
  readonly counted: CountedUsage | undefined;
  /** null: read, no answer needed. */
  readonly content: string | null;
  readonly answers: boolean;
  /** The batch that it answers; undefined: the batch that was given last. */
  readonly batchId: string | undefined;
  readonly idempotencyKey: string | undefined;
  /** Only if the chat was given last: neither a target nor a batch is named. */
  readonly onlyIfLast: boolean;
}

/** The result of an answer; its place is null when it has no content. */
export interface RespondRow {
  has_room: boolean;
  is_said: boolean;
  answered: number;
  close_requested: boolean | null;
  seq: number | null;
  now: Date | null;
  log_offset: number | null;
  working_directory: string | null;
  agent_name: string | null;
  retrieval_run_id: string | null;
  /** Only of an answer with a named id or with usage: another agent's answer grows under the id; its steps. */
  is_taken?: boolean;
  steps?: number | null;
  /** Nothing was done: the session was changed meanwhile. */
  is_stale?: boolean;
}

/**
 * Stores an answer, see RESPOND; `claims`: only if no answer named the batch before. Undefined: the session
 * is over, the batch does not belong to this chat, or a conversation was given last.
 */
export async function insertAnswer(
  database: Database,
  caller: AgentCaller,
  answer: ChatAnswer,
  answered: { claims: boolean; lineBytes: number; quota: number; mentions: readonly string[] },
): Promise<RespondRow | undefined> {
  const { claims, lineBytes, quota, mentions } = answered;
  const values = [
    caller.sessionId,
    chatThreadId(caller.projectId, caller.agentId),
    answer.content === null ? null : answer.id,
    lineBytes,
    caller.projectId,
    caller.agentId,
    answer.content,
    answer.answers,
    answer.idempotencyKey ?? null,
    answer.onlyIfLast,
    answer.batchId ?? null,
    claims,
    quota,
  ];
  const { isNamed, counted } = answer;
  if (!isNamed && !counted && mentions.length === 0) {
    const [row] = await database.statement<RespondRow>({ name: 'respond', text: RESPOND, values });
    return row;
  }
  const more = [
    isNamed ? answer.id : null,
    counted ? JSON.stringify(counted.usage) : null,
    counted?.model ?? null,
    counted?.day ?? null,
    counted?.endsAt ?? null,
    mentions,
  ];
  const query = { name: 'respond-more', text: RESPOND_MORE, values: [...values, ...more] };
  return statementOfSession<RespondRow>(database, caller, query, (row) => row.is_stale);
}

/**
 * The answer in one statement: session locked and live, the messages of the batch that it still held
 * answered, the message with its place in thread and file, the change events, the idempotency key. $3 null:
 * read, no answer needed. $10: only if the chat was given last. $11: the batch, null for the last one. $12:
 * only if no answer named it before. $13: the number of bytes that the agent may write in an hour
 * (byte-quota.ts); answers that pass this check at the same moment are all stored.
 */
function respondSql(more: {
  session: { before: string; which: string };
  parts: string;
  /** After its row `t` of the thread. */
  partsOfMessage: string;
  values: string;
  facts: string;
  select: string;
  orWhere: string;
}) {
  return `
  with room as materialized (
    select $3::text is null or $13::bigint = 0
      or case when said_hour >= ${THIS_HOUR} then said_bytes else 0 end + $4::bigint <= $13::bigint as is_there
    from chat_threads where id = $2
  ), given as (
    select b.id, b.message_ids, b.retrieval_run_id from delivery_batches b
    where b.session_id = $1 and b.thread_id = $2 and ($11::text is null or b.id = $11)
    order by b.given_at desc limit 1
  ), ${more.session.before}session as (
    update agent_sessions s set last_activity_at = clock_timestamp(), last_seen_at = clock_timestamp(),
      -- An interim word is not what the person who interrupts waits for.
      control = case when not $8::boolean then s.control end
    ${more.session.which}
    returning s.id, s.close_requested_at is not null as close_requested
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
  )${more.parts}, t as (
    update chat_threads set last_seq = last_seq + 1, log_bytes = log_bytes + $4::bigint,
      said_bytes = case when said_hour >= ${THIS_HOUR} then said_bytes else 0 end + $4::bigint, said_hour = greatest(said_hour, ${THIS_HOUR}),
      news_count = news_count + 1, news_hour = date_trunc('hour', clock_timestamp(), 'UTC')
    from said where chat_threads.id = $2 and $3::text is not null
    returning chat_threads.id, last_seq, log_bytes - $4::bigint as log_offset,
      date_trunc('milliseconds', clock_timestamp()) as now
  ), stored as (
    insert into chat_messages (id, thread_id, seq, project_id, agent_id, sender, sender_id, content, created_at, log_offset,
      retrieval_run_id, steps, usage, model)
    select $3, t.id, t.last_seq, $5, $6, 'agent', $6, $7, t.now, t.log_offset, (select retrieval_run_id from given),
      ${more.values} from t
    returning id
  )${more.partsOfMessage}, fact as (
    insert into change_log (project_id, kind, ref)
    ${more.facts}select $5, 'message', jsonb_build_object('messageId', id)
    from (select id from answered union all select id from stored) x
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
    (select name from agents where id = $6) as agent_name,
    (select retrieval_run_id from given)${more.select}
  from room left join session on true left join t on true
  where session.id is not null or not room.is_there${more.orWhere}`;
}

/** Which session `s` may answer. */
const LIVE = `where s.id = $1 and s.state <> 'ended' and s.revoked_at is null
      and (not $10::boolean or coalesce(s.last_source, 'chat') = 'chat')
      and ($11::text is null or exists (select from given)) and (select is_there from room)`;

const RESPOND = respondSql({
  session: { before: '', which: LIVE },
  parts: '',
  partsOfMessage: '',
  values: 'null, null, null',
  facts: '',
  select: '',
  orWhere: '',
});

const MEMBERSHIP = { projectId: '$5::text', agentId: '$6::text' };
const IS_MESSAGE = '$3::text is not null';

/** With $14, the id that the agent has named, null without one, and what it cost in $15 to $18 (see CountedUsage), and whom it mentions in $19. */
const RESPOND_MORE = respondSql({
  // What has grown is changed under the lock of the session.
  session: {
    before: `seen as materialized (
    select s.id, ${SEEN_VERSION} from agent_sessions s ${LIVE}
      and not exists ${takenIdSql({ ...MEMBERSHIP, messageId: '$14::text' })}
  ), `,
    which: `from seen where ${IS_SEEN}`,
  },
  parts: `, ${finishGrowthSql({ ...MEMBERSHIP, from: 'said', messageId: '$14::text', isMessage: `${IS_MESSAGE}` })}, ${countUsageSql(
    {
      ...MEMBERSHIP,
      from: 'said',
      usage: '$15::jsonb',
      messages: `case when ${IS_MESSAGE} then 1 else 0 end`,
      model: '$16::text',
      day: '$17::date',
      endsAt: '$18::timestamptz',
      sessionId: 'said.id',
    },
  )}`,
  partsOfMessage: `, mentioned as (
    insert into mentions (message_id, human_id, created_at)
    select $3, h.id, t.now from t, unnest($19::text[]) as h (id)
  )`,
  values: '(select nullif(count, 0) from steps), $15::jsonb, $16::text',
  // Readers get the steps before their message.
  facts: `select $5, kind, ref from grown_fact
    union all
    `,
  select: `, exists ${takenIdSql({ ...MEMBERSHIP, messageId: '$14::text' })} as is_taken,
    (select nullif(count, 0) from steps) as steps,
    session.id is null and exists (select from seen) as is_stale`,
  orWhere: ` or exists (select from seen) or exists ${takenIdSql({ ...MEMBERSHIP, messageId: '$14::text' })}`,
});
