-- What grows out of a memory after the events are stored: what an event is about, whom and what it names, its mood, its
-- threads, and how far all of that is done. Everything of an event goes with it.

-- One row for each event, written with it: whether something has grown of it yet.
create table memory_growth (
  event_id text primary key references memory_events (id) on delete cascade,
  agent_id text not null,
  project_id text,
  -- Of the event: its place in the order in which a memory grows.
  created_at timestamptz(3) not null,
  seq bigint not null,
  -- parked: it failed too often, and waits for a person.
  state text not null default 'pending' constraint memory_growth_state_check check (state in ('pending', 'applied', 'parked')),
  attempts integer not null default 0,
  -- Not before this time again.
  retry_at timestamptz(3),
  -- Of the last attempt that failed: the step, the code and what happened.
  error_step text,
  error_code text,
  error_text text,
  error_at timestamptz(3),
  -- The WritePlan, from its making until it is applied.
  plan jsonb,
  made_by text constraint memory_growth_made_by_check check (made_by in ('model', 'rules')),
  -- {<step>: {at, ms, …}}, and what of the plan was dropped, each with why.
  steps jsonb not null default '{}',
  dropped jsonb not null default '[]',
  applied_at timestamptz(3)
);
-- The oldest of an agent that is to be done.
create index memory_growth_pending_idx on memory_growth (agent_id, created_at, seq) where state = 'pending';
-- What failed, for the list of jobs.
create index memory_growth_parked_idx on memory_growth (agent_id, created_at, seq) where state = 'parked';

-- What is done for a memory as a whole.
create table memory_growth_agents (
  agent_id text primary key references agents (id),
  -- How many events were applied, and how many of them before memory was tidied last.
  applied bigint not null default 0,
  tidied_at_applied bigint not null default 0,
  -- The time of the newest of them: what is past is past then.
  last_event_at timestamptz(3),
  -- {<step>: {at, ms, error?, …}} of the last time that each step ran.
  steps jsonb not null default '{}',
  updated_at timestamptz(3) not null default clock_timestamp()
);

-- Summaries that have to be made anew.
create table memory_summary_scopes (
  agent_id text not null references agents (id),
  -- '': general.
  project_id text not null,
  scope_type text not null constraint memory_summary_scopes_type_check
    check (scope_type in ('person', 'topic', 'period', 'thread')),
  scope_key text not null,
  primary key (agent_id, project_id, scope_type, scope_key)
);

-- A state of kind summary has one of each scope.
alter table memory_states add column scope_type text constraint memory_states_scope_check
    check (scope_type in ('person', 'topic', 'period', 'thread')),
  add column scope_key text,
  -- What a fact tells of whom, so that the next one about the same replaces it: made by rules only.
  add column about_key text,
  add column salience real;
create unique index memory_states_scope_key on memory_states (agent_id, coalesce(project_id, ''), scope_type, scope_key)
  where scope_type is not null;
create index memory_states_about_idx on memory_states (agent_id, about_key) where about_key is not null;
-- What holds now: tasks that are past, what says the same, what is contradicted.
create index memory_states_open_idx on memory_states (agent_id, kind, last_confirmed_at desc, id) where valid_to is null;

-- What an event is about, which may be another time than that of its telling.
create table memory_event_annotations (
  event_id text primary key references memory_events (id) on delete cascade,
  agent_id text not null,
  project_id text,
  about_start timestamptz(3),
  about_end timestamptz(3),
  about_year_start integer,
  about_year_end integer,
  life_stage text not null default '' constraint memory_event_annotations_stage_check
    check (life_stage in ('elementary', 'middle', 'high', 'university', 'work', '')),
  about_time_confidence real not null default 0,
  made_by text not null constraint memory_event_annotations_made_by_check check (made_by in ('model', 'rules'))
);
create index memory_event_annotations_years_idx on memory_event_annotations (agent_id, about_year_start, about_year_end)
  where about_year_start is not null;
create index memory_event_annotations_stage_idx on memory_event_annotations (agent_id, life_stage) where life_stage <> '';

create table memory_event_entities (
  event_id text not null references memory_events (id) on delete cascade,
  type text not null constraint memory_event_entities_type_check
    check (type in ('person', 'org', 'place', 'project', 'tool', 'topic')),
  -- As it is compared: NFKC, lower case, one space.
  name text not null,
  agent_id text not null,
  project_id text,
  -- Of the event.
  created_at timestamptz(3) not null,
  -- As it was written.
  label text not null,
  confidence real not null,
  made_by text not null constraint memory_event_entities_made_by_check check (made_by in ('model', 'rules')),
  primary key (event_id, type, name)
);
create index memory_event_entities_name_idx on memory_event_entities (agent_id, name, created_at desc);

create table memory_event_threads (
  event_id text not null references memory_events (id) on delete cascade,
  thread_key text not null,
  agent_id text not null,
  project_id text,
  -- Of the event.
  created_at timestamptz(3) not null,
  confidence real not null,
  made_by text not null constraint memory_event_threads_made_by_check check (made_by in ('model', 'rules')),
  primary key (event_id, thread_key)
);
create index memory_event_threads_key_idx on memory_event_threads (agent_id, thread_key, created_at desc, event_id);

create table memory_event_affects (
  id text primary key,
  event_id text not null unique references memory_events (id) on delete cascade,
  agent_id text not null,
  project_id text,
  -- Of the event.
  created_at timestamptz(3) not null,
  body_text text not null,
  labels text[] not null,
  -- Unpleasant to pleasant, calm to aroused, passive to dominant; each -1 to 1.
  v real not null,
  a real not null,
  d real not null,
  confidence real not null,
  made_by text not null constraint memory_event_affects_made_by_check check (made_by in ('model', 'rules'))
);
-- The mood: what was felt last.
create index memory_event_affects_agent_idx on memory_event_affects (agent_id, created_at desc, id);

-- Who found a link: 'system' are those to the previous turn of a client.
alter table memory_event_links add column made_by text not null default 'system' constraint memory_event_links_made_by_check
  check (made_by in ('model', 'rules', 'system'));

-- What is stored already grows too.
insert into memory_growth (event_id, agent_id, project_id, created_at, seq)
  select id, agent_id, project_id, created_at, seq from memory_events;
