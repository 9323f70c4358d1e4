-- What wakes agents, who is awake, what was said, and the log that carries changes to readers.

-- A wake-up, not the truth: rows are repaired from messages and conversations, never the other way round.
create table pending_agent_purposes (
  agent_id text not null references agents (id),
  project_id text not null references projects (id),
  purpose text not null constraint pending_agent_purposes_purpose_check check (purpose in ('chat', 'task')),
  task_id text not null default '',
  conversation_id text,
  -- The person who opened the chat; null when nobody waits in front of it.
  opened_by text,
  created_at timestamptz(3) not null default clock_timestamp(),
  started_at timestamptz(3),
  run_id text,
  -- Starts that ended before authenticate; the third removes the row.
  failed_starts integer not null default 0,
  not_before timestamptz(3),
  -- The clock of created_at rests while the row is held for capacity, cooling down or an ending session.
  held_since timestamptz(3),
  held_ms bigint not null default 0,
  last_error jsonb,
  primary key (agent_id, project_id, purpose, task_id)
);

-- What became of removed rows, for GET …/pending-purposes?includeRecent; pruned after an hour.
create table pending_purpose_outcomes (
  id bigint generated always as identity primary key,
  agent_id text not null,
  project_id text not null,
  purpose text not null,
  task_id text not null,
  conversation_id text,
  created_at timestamptz(3) not null,
  started_at timestamptz(3),
  removed_at timestamptz(3) not null default clock_timestamp(),
  outcome text not null constraint pending_purpose_outcomes_outcome_check
    check (outcome in ('authenticated', 'expired', 'taken_by_session'))
);
create index pending_purpose_outcomes_project_idx on pending_purpose_outcomes (project_id, removed_at);

create table coordinators (
  id text primary key,
  host text not null,
  boot_id text not null,
  labels text[] not null default '{}',
  roots text[] not null default '{}',
  capacity integer not null,
  used integer not null default 0,
  registered_at timestamptz(3) not null default clock_timestamp(),
  last_seen_at timestamptz(3) not null default clock_timestamp(),
  -- Set when it was silent for 45 s and its runs were given up; cleared when it is back.
  lost_at timestamptz(3)
);

create table agent_runs (
  id text primary key,
  agent_id text not null references agents (id),
  project_id text not null references projects (id),
  purpose text not null constraint agent_runs_purpose_check check (purpose in ('chat', 'task')),
  task_id text not null default '',
  conversation_id text,
  coordinator_id text,
  provider text not null,
  model text,
  -- A process is host + boot + pid + start ticks, never a pid alone.
  host text,
  boot_id text,
  pid integer,
  start_ticks bigint,
  state text not null default 'starting'
    constraint agent_runs_state_check check (state in ('starting', 'running', 'stopping', 'exited')),
  started_at timestamptz(3) not null default clock_timestamp(),
  ended_at timestamptz(3),
  exit_cause text constraint agent_runs_exit_cause_check
    check (exit_cause in ('finished', 'crashed', 'killed', 'stalled', 'lost', 'could_not_start')),
  exit_code integer,
  signal text,
  error text,
  stderr_tail text,
  stop_requested_at timestamptz(3),
  stop_reason text,
  -- The agent's sign-in was refused: the row waits for its TTL instead of another start (UC010).
  sign_in_refused_at timestamptz(3)
);
create index agent_runs_project_idx on agent_runs (project_id, started_at desc);
create index agent_runs_pair_idx on agent_runs (agent_id, project_id, started_at desc);
-- Runs of one Coordinator: its load, its stop list, what is lost with it.
create index agent_runs_live_idx on agent_runs (coordinator_id) where state <> 'exited';
-- A task's start is taken once.
create unique index agent_runs_live_task_key on agent_runs (agent_id, project_id, task_id)
  where purpose = 'task' and state <> 'exited';

create table agent_sessions (
  id text primary key,
  agent_id text not null references agents (id),
  project_id text not null references projects (id),
  purpose text not null constraint agent_sessions_purpose_check check (purpose in ('chat', 'task')),
  task_id text not null default '',
  state text not null default 'active'
    constraint agent_sessions_state_check check (state in ('active', 'terminating', 'ended')),
  -- Null for a session that came by ticket: the ticket is its bearer.
  token_hash text unique,
  run_id text references agent_runs (id),
  -- The person for whom it was started; only such sessions may ask questions.
  opened_by text,
  created_at timestamptz(3) not null default clock_timestamp(),
  -- Last message in either direction; polling is not activity.
  last_activity_at timestamptz(3) not null default clock_timestamp(),
  last_seen_at timestamptz(3) not null default clock_timestamp(),
  phase text,
  control text constraint agent_sessions_control_check check (control in ('interrupt', 'stop')),
  -- A close that waits until no message is waiting, being answered, no question is open.
  close_requested_at timestamptz(3),
  terminating_at timestamptz(3),
  exit_action text constraint agent_sessions_exit_action_check check (exit_action in ('exit', 'logout')),
  exit_reason text,
  exit_offered_at timestamptz(3),
  exit_told_at timestamptz(3),
  ended_at timestamptz(3),
  -- What respond_chat without a target answers.
  last_source text,
  chain_id text
);
-- Trap 7 and I-3: one live session per key; live = active, or terminating whose exit nobody was told.
create unique index agent_sessions_live_key on agent_sessions (agent_id, project_id, purpose, task_id)
  where state = 'active' or (state = 'terminating' and exit_told_at is null);
-- Everything not ended: the sweeper, agent-sessions, hold reasons.
create index agent_sessions_open_idx on agent_sessions (project_id, agent_id) where state <> 'ended';
create index agent_sessions_run_idx on agent_sessions (run_id) where run_id is not null;

create table launch_tickets (
  ticket_hash text primary key,
  run_id text not null references agent_runs (id),
  agent_id text not null references agents (id),
  project_id text not null references projects (id),
  session_id text references agent_sessions (id),
  created_at timestamptz(3) not null default clock_timestamp(),
  -- The session's first call after authenticate: from then on the ticket signs nobody in again.
  used_at timestamptz(3),
  revoked_at timestamptz(3)
);
create index launch_tickets_run_idx on launch_tickets (run_id);
create index launch_tickets_session_idx on launch_tickets (session_id) where session_id is not null;

-- Open panels. A lease that runs out only stops counting when the next end looks for viewers.
create table session_viewers (
  project_id text not null references projects (id),
  agent_id text not null references agents (id),
  viewer_id text not null,
  human_id text not null references agents (id),
  lease_until timestamptz(3) not null,
  -- An unload beacon counts after 10 s, so that a reload keeps the agent warm.
  leaving_at timestamptz(3),
  primary key (project_id, agent_id, viewer_id)
);

-- A thread: (project, agent) between people and an agent; `log_bytes` is the length that the agent's
-- chat.jsonl must have, so that every line has its place before it is written.
create table chat_threads (
  id text primary key,
  project_id text not null references projects (id),
  agent_id text not null references agents (id),
  conversation_id text,
  last_seq bigint not null default 0,
  log_bytes bigint not null default 0
) with (fillfactor = 50);
create unique index chat_threads_pair_key on chat_threads (project_id, agent_id) where conversation_id is null;

create table chat_messages (
  id text primary key,
  -- No foreign key: every statement that stores a message updates its thread's row in the same breath, and the
  -- check would be a second look-up and row lock on the hottest path.
  thread_id text not null,
  seq bigint not null,
  project_id text not null,
  -- The agent in whose chat.jsonl the line at log_offset stands.
  agent_id text not null,
  sender text not null constraint chat_messages_sender_check check (sender in ('user', 'agent', 'system')),
  sender_id text not null,
  human_id text,
  receiver_id text,
  content text not null,
  created_at timestamptz(3) not null,
  visible boolean not null default true,
  conversation_id text,
  related_task_id text,
  client_message_id text,
  state text not null default 'stored'
    constraint chat_messages_state_check check (state in ('stored', 'delivered', 'answered', 'failed')),
  -- The agent that must read it; null: nobody is waited for (system, invisible, an agent's own words).
  deliver_to text,
  delivered_session_id text,
  delivered_at timestamptz(3),
  -- The response that carried it was written to a live connection.
  told_at timestamptz(3),
  answered_at timestamptz(3),
  failed_at timestamptz(3),
  -- It came back from a session that ended before answering.
  redelivered boolean not null default false,
  -- Sessions that crashed while they held it; three fail it.
  crashes integer not null default 0,
  failure jsonb,
  system jsonb,
  no_reply boolean not null default false,
  usage jsonb,
  model text,
  log_offset bigint not null,
  constraint chat_messages_thread_seq_key unique (thread_id, seq)
);
-- A retried POST finds the first (idempotency); what one person calls his message is nothing to another.
create unique index chat_messages_client_id_key on chat_messages (thread_id, human_id, client_message_id)
  where client_message_id is not null;
-- Unread of one agent, and the messages it holds.
create index chat_messages_unread_idx on chat_messages (deliver_to, project_id, seq)
  where state = 'stored' and deliver_to is not null;
create index chat_messages_held_idx on chat_messages (delivered_session_id) where state = 'delivered';
-- Repairs chat.jsonl from a byte position.
create index chat_messages_log_idx on chat_messages (project_id, agent_id, log_offset);

-- How far each person has read.
create table read_marks (
  human_id text not null references agents (id),
  thread_id text not null references chat_threads (id),
  last_seq bigint not null default 0,
  primary key (human_id, thread_id)
);

-- A wake-up log kept 48 h, not history: readers read below pg_snapshot_xmin, so no late commit is skipped.
create table change_log (
  id bigint generated always as identity,
  xid xid8 not null default pg_current_xact_id(),
  project_id text,
  kind text not null,
  ref jsonb not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  -- Readers ask for stretches of transactions; one index serves them and costs the writers one insert.
  primary key (xid, id)
);

-- Same key, same session: the first result (every writing tool).
create table idempotent_results (
  session_id text not null references agent_sessions (id),
  idempotency_key text not null,
  tool text not null,
  result jsonb not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  primary key (session_id, idempotency_key)
);
