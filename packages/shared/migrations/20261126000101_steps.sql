-- What agents do on the way to an answer: reported under the id of the answer while it grows, kept with the message.

-- An answer of which steps were reported and that is not stored yet. Its row goes when the message is stored.
create table growing_answers (
  message_id text primary key,
  -- The session that reports it. No foreign key: a session is forgotten before what it left.
  session_id text not null,
  project_id text not null,
  agent_id text not null,
  -- Null: it is for the people in the chat.
  conversation_id text,
  -- New steps are counted under the lock of this row, so there are never more than allowed. A step that is reported
  -- twice at the same time may count twice.
  step_count integer not null,
  began_at timestamptz(3) not null,
  -- It becomes no message: its steps are read by nobody any more, and are pruned.
  discarded_at timestamptz(3)
) with (fillfactor = 75);
create index growing_answers_session_idx on growing_answers (session_id) where discarded_at is null;
create index growing_answers_discarded_idx on growing_answers (discarded_at) where discarded_at is not null;

create table message_steps (
  -- No foreign key: of an answer that grows there is no message yet.
  message_id text not null,
  step_id text not null,
  -- The order of the first reports.
  place integer not null,
  kind text not null constraint message_steps_kind_check
    check (kind in ('thought', 'tool', 'command', 'read', 'edit', 'search', 'other')),
  title text not null,
  status text not null constraint message_steps_status_check check (status in ('running', 'done', 'failed')),
  detail text,
  diff_path text,
  diff_before text,
  diff_after text,
  -- Which of them were longer.
  title_cut boolean not null,
  detail_cut boolean not null,
  diff_cut boolean not null,
  primary key (message_id, step_id),
  constraint message_steps_diff_check
    check ((diff_path is null) = (diff_before is null) and (diff_path is null) = (diff_after is null))
) with (fillfactor = 75);

-- The number of steps that are kept with the message: a page knows it without reading them.
alter table chat_messages add column steps integer;
