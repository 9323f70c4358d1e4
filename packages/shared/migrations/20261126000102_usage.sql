-- What answers cost: summed when they are stored, so that no report and no limit reads messages.

create table usage_days (
  project_id text not null,
  day date not null,
  agent_id text not null,
  -- Empty: the agent named none.
  model text not null,
  -- When the day is over, in the time zone in which it was counted. A limit needs no other calendar.
  ends_at timestamptz not null,
  messages bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cache_read_tokens bigint not null,
  -- Null: no answer said what it cost.
  cost_usd numeric,
  duration_ms bigint not null,
  primary key (project_id, day, agent_id, model)
) with (fillfactor = 75);
-- What an agent has used today, in all projects.
create index usage_days_agent_idx on usage_days (agent_id, ends_at);

-- The same for one session; forgotten with it.
create table session_usage (
  session_id text primary key,
  messages bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cache_read_tokens bigint not null,
  cost_usd numeric,
  duration_ms bigint not null
) with (fillfactor = 75);

-- Tokens in and out, of all projects, in one day; null: no limit.
alter table agents add column daily_token_limit bigint
  constraint agents_daily_token_limit_check check (daily_token_limit >= 1);
create index agents_limited_idx on agents (id) where daily_token_limit is not null;

alter table conversations
  drop constraint conversations_end_reason_check,
  add constraint conversations_end_reason_check check (end_reason in ('initiator_ended', 'participant_ended', 'timeout',
    'max_messages', 'chain_limit', 'human_stopped', 'participant_gone', 'not_started', 'usage_limit'));

alter table pending_agent_purposes
  drop constraint pending_agent_purposes_held_for_check,
  add constraint pending_agent_purposes_held_for_check
    check (held_for in ('capacity', 'task_limit', 'cooling_down', 'session_ending', 'usage_limit'));
