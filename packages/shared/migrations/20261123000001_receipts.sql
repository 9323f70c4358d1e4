-- A response that was written has not arrived: what is held unanswered can be fetched again, and an answer answers
-- one batch.

-- What one get_pending_messages gave. `message_ids` never changes: a batch that grows is a new one (I-11).
create table delivery_batches (
  id text primary key,
  -- No cascade: a session may have very many, which are forgotten before it, some at a time.
  session_id text not null references agent_sessions (id),
  thread_id text not null,
  message_ids text[] not null,
  -- To the microsecond: of two in one millisecond, one is the last.
  given_at timestamptz not null,
  -- How often get_next_action has said that it can be fetched again.
  offers integer not null default 0,
  -- The first respond_chat that named it; a second one with the same words is the same answer.
  answered_at timestamptz(3),
  answer_id text
);
-- The batch that a session was given last of one source.
create index delivery_batches_session_idx on delivery_batches (session_id, thread_id, given_at desc);

-- The batch that gave the message last; of an answered one, the batch that its answer named.
alter table chat_messages add column batch_id text;
alter table chat_messages drop column told_at;

-- What sessions hold while this migration runs can be fetched again, too.
insert into delivery_batches (id, session_id, thread_id, message_ids, given_at)
  select 'bat_' || substr(md5(m.delivered_session_id || ' ' || m.thread_id), 1, 20), m.delivered_session_id,
    m.thread_id, array_agg(m.id order by m.seq), coalesce(max(m.delivered_at), clock_timestamp())
  from chat_messages m join agent_sessions s on s.id = m.delivered_session_id
  where m.state = 'delivered' group by m.delivered_session_id, m.thread_id;
update chat_messages m set batch_id = b.id from delivery_batches b
  where m.state = 'delivered' and b.session_id = m.delivered_session_id and b.thread_id = m.thread_id;

alter table agent_sessions
  -- It has named a receipt: what it is told and does not name is told again.
  add column uses_receipts boolean not null default false,
  -- A heartbeat is held until then: the session is in a turn.
  add column beat_until timestamptz(3);

-- How often a session that names receipts was told without naming it: in the end it counts as told.
alter table conversation_notices add column tellings integer not null default 0;
alter table user_questions add column tellings integer not null default 0;

-- The same key under another tool means nothing.
alter table idempotent_results drop constraint idempotent_results_pkey;
alter table idempotent_results add constraint idempotent_results_pkey primary key (session_id, tool, idempotency_key);
