-- Memory: an append-only log of what happened (memory_events), what was learnt from it (memory_states), and the index by
-- which both are found. One memory for each agent. project_id null: general, seen from every project of the agent.

create table memory_events (
  id text primary key,
  -- Events of the same millisecond in the order in which they were stored.
  seq bigint not null generated always as identity,
  agent_id text not null references agents (id),
  project_id text references projects (id),
  client_id text not null,
  -- Events of one thread are neighbours: what was said before and after.
  thread_id text not null,
  source text not null constraint memory_events_source_check
    check (source in ('chat', 'agent_conversation', 'import', 'remember', 'vision_detail')),
  -- What the event was made from, so that the same is stored once: a name within its project and its source.
  source_ref text,
  actor text,
  user_text text,
  assistant_text text,
  caption text,
  assistant_state text not null constraint memory_events_assistant_state_check
    check (assistant_state in ('complete', 'partial', 'failed')),
  created_at timestamptz(3) not null,
  stored_at timestamptz(3) not null default clock_timestamp()
);
create unique index memory_events_source_ref_key on memory_events (agent_id, coalesce(project_id, ''), source, source_ref)
  where source_ref is not null;
-- Lists of an agent, newest first; what is known at an instant.
create index memory_events_agent_idx on memory_events (agent_id, created_at desc, seq desc);
create index memory_events_project_idx on memory_events (agent_id, project_id, created_at desc, seq desc);
-- The events before and after one.
create index memory_events_thread_idx on memory_events (agent_id, thread_id, created_at, seq);
-- The previous turn of a client.
create index memory_events_client_idx on memory_events (agent_id, client_id, coalesce(project_id, ''), created_at, seq)
  where source = 'chat';

-- Which event is connected with which, for example the previous turn of the same client.
create table memory_event_links (
  from_event_id text not null references memory_events (id) on delete cascade,
  to_event_id text not null references memory_events (id) on delete cascade,
  label text not null constraint memory_event_links_label_check
    check (label in ('reply_to', 'same_topic', 'caused_by', 'continuation')),
  confidence real not null default 1,
  primary key (from_event_id, to_event_id, label)
);
create index memory_event_links_to_idx on memory_event_links (to_event_id);

create table memory_states (
  id text primary key,
  agent_id text not null references agents (id),
  project_id text references projects (id),
  kind text not null constraint memory_states_kind_check
    check (kind in ('fact', 'relation', 'task', 'summary', 'long_mood_state')),
  body_text text not null,
  payload jsonb not null default '{}',
  confidence real not null default 1,
  valid_from timestamptz(3),
  valid_to timestamptz(3),
  last_confirmed_at timestamptz(3) not null,
  -- Ids of the events that it was made from, the oldest first.
  evidence text[] not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create index memory_states_agent_idx on memory_states (agent_id, last_confirmed_at desc, id);
create index memory_states_kind_idx on memory_states (agent_id, kind, last_confirmed_at desc);
-- The states that go when their last event goes.
create index memory_states_evidence_idx on memory_states using gin (evidence);

create table memory_revisions (
  id bigint primary key generated always as identity,
  state_id text not null references memory_states (id) on delete cascade,
  at timestamptz(3) not null,
  op text not null,
  before jsonb,
  after jsonb,
  reason text not null,
  evidence text[] not null,
  made_by text not null constraint memory_revisions_made_by_check check (made_by in ('model', 'rules', 'person', 'agent'))
);
create index memory_revisions_state_idx on memory_revisions (state_id, id);

-- What retrieval reads: one row for each event and each state, written in the transaction of its item.
create table memory_documents (
  id bigint primary key generated always as identity,
  event_id text unique references memory_events (id) on delete cascade,
  state_id text unique references memory_states (id) on delete cascade,
  agent_id text not null,
  project_id text,
  created_at timestamptz(3) not null,
  -- In tokens.
  length integer not null,
  -- Hashes of (agent, term), as often as the term occurs; see core/memory/rules/index-terms.ts.
  terms integer[] not null,
  constraint memory_documents_item_check check (num_nonnulls(event_id, state_id) = 1)
);
-- The postings: which documents hold a term. Each look at a term reads the list of pending entries: connections keep it
-- short (database.ts), imports make it longer and clear it when they end (memory-import.ts).
create index memory_documents_terms_idx on memory_documents using gin (terms);
-- How many documents an agent has, and how long they are; the newest; those of a time.
create index memory_documents_agent_idx on memory_documents (agent_id, created_at, id) include (project_id, length);
-- The long arrays stand apart, so that a page holds many rows: retrieval reads the index and the short columns only.
alter table memory_documents alter column terms set storage external;
alter table memory_documents set (toast_tuple_target = 128);

-- What was searched, what was found and by which leg, and what was used of it.
create table retrieval_runs (
  id text primary key,
  agent_id text not null references agents (id),
  project_id text references projects (id),
  -- Null: a search that belongs to no turn.
  event_id text references memory_events (id) on delete cascade,
  query text not null,
  plan jsonb not null,
  plan_source text not null constraint retrieval_runs_plan_source_check check (plan_source in ('model', 'rules')),
  candidates jsonb not null,
  timings jsonb not null,
  errors jsonb not null,
  selected jsonb,
  selected_source text constraint retrieval_runs_selected_source_check check (selected_source in ('model', 'rank')),
  created_at timestamptz(3) not null default clock_timestamp()
);
-- Pruning.
create index retrieval_runs_created_idx on retrieval_runs (created_at);
create index retrieval_runs_event_idx on retrieval_runs (event_id) where event_id is not null;
-- The runs that used what is deleted, and all of a memory.
create index retrieval_runs_selected_idx on retrieval_runs using gin (selected jsonb_path_ops);
create index retrieval_runs_agent_idx on retrieval_runs (agent_id);

-- How far the memory service has followed the change log.
create table memory_follower (
  is_only boolean primary key default true constraint memory_follower_is_only_check check (is_only),
  position text not null,
  epoch text not null,
  updated_at timestamptz(3) not null default clock_timestamp()
);
