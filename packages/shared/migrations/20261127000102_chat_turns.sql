-- A turn of POST /api/chat, from its event on: who runs it, what was said so far, how it ended. The reply itself stands in
-- the event once the turn has ended. The row stays as long as its event.

create table chat_turns (
  event_id text primary key references memory_events (id) on delete cascade,
  agent_id text not null references agents (id),
  client_id text not null,
  state text not null constraint chat_turns_state_check check (state in ('running', 'done', 'stopped', 'failed')),
  -- Written every second while the turn runs, for readers in other processes and in case that this one dies.
  said text not null default '',
  -- Until then the process that runs the turn has to renew it: a turn that nobody renews has lost its process.
  lease_until timestamptz(3) not null,
  -- Somebody in another process stops it.
  is_stop_requested boolean not null default false,
  error_code text constraint chat_turns_error_code_check
    check (error_code in ('llm_unavailable', 'llm_stream_failed')),
  usage jsonb,
  retrieval_run_id text,
  ended_at timestamptz(3),
  constraint chat_turns_ended_check check ((state = 'running') = (ended_at is null))
);
-- An agent has one turn with a client at a time.
create unique index chat_turns_running_key on chat_turns (agent_id, client_id) where state = 'running';
-- Turns that have lost their process.
create index chat_turns_lease_idx on chat_turns (lease_until) where state = 'running';
