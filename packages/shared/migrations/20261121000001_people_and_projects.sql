-- People, agents, projects, the board. Identifiers are never reused: going away is soft.

create table agents (
  id text primary key,
  type text not null constraint agents_type_check check (type in ('human', 'ai')),
  name text not null,
  access_level text constraint agents_access_level_check check (access_level in ('owner', 'member', 'viewer')),
  role text,
  system_prompt text,
  provider text constraint agents_provider_check check (provider in ('builtin', 'claude', 'openai', 'command')),
  model text,
  base_url text,
  api_key_env text,
  command jsonb,
  labels text[] not null default '{}',
  max_parallel_tasks integer not null default 1,
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp(),
  deleted_at timestamptz(3),
  constraint agents_kind_check check (
    (type = 'human' and access_level is not null and provider is null)
    or (type = 'ai' and access_level is null and provider is not null)
  )
);

-- scrypt hash with its own salt and cost; the passkey itself is shown once and never stored.
create table agent_credentials (
  agent_id text primary key references agents (id),
  passkey_hash text not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp()
);

-- Bearers of people: a page's login (kind 'login', with its CSRF value) or a named API token (kind 'api').
create table access_tokens (
  id text primary key,
  agent_id text not null references agents (id),
  kind text not null constraint access_tokens_kind_check check (kind in ('login', 'api')),
  name text,
  token_hash text not null unique,
  csrf_hash text,
  created_at timestamptz(3) not null default clock_timestamp(),
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  revoked_at timestamptz(3)
);
-- Lists a person's tokens; revokes them all.
create index access_tokens_agent_idx on access_tokens (agent_id) where revoked_at is null;

create table sign_in_codes (
  code_hash text primary key,
  agent_id text not null references agents (id),
  expires_at timestamptz(3) not null,
  used_at timestamptz(3)
);

-- Failures in a row of one account from one address; the next attempt is held, never locked out.
create table sign_in_failures (
  account text not null,
  address text not null,
  failures integer not null,
  last_failed_at timestamptz(3) not null,
  primary key (account, address)
);

create table projects (
  id text primary key,
  name text not null,
  description text,
  working_directory text not null,
  working_directory_made boolean not null default false,
  status text not null default 'active'
    constraint projects_status_check check (status in ('active', 'paused', 'archived')),
  permission_policy text not null default 'ask'
    constraint projects_permission_policy_check check (permission_policy in ('ask', 'allow_edits', 'deny')),
  chat_log_fault text,
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp(),
  deleted_at timestamptz(3)
);
-- Two live projects never share one real folder (409 working_directory_in_use).
create unique index projects_working_directory_key on projects (working_directory)
  where status <> 'archived' and deleted_at is null;

create table project_agents (
  project_id text not null references projects (id),
  agent_id text not null references agents (id),
  created_at timestamptz(3) not null default clock_timestamp(),
  primary key (project_id, agent_id)
);
-- The projects of one agent: what a member may see.
create index project_agents_agent_idx on project_agents (agent_id);

create table tasks (
  id text primary key,
  project_id text not null references projects (id),
  title text not null,
  description text not null default '',
  status text not null default 'backlog' constraint tasks_status_check
    check (status in ('backlog', 'todo', 'in_progress', 'blocked', 'done', 'cancelled')),
  priority text not null default 'medium' constraint tasks_priority_check
    check (priority in ('low', 'medium', 'high', 'urgent')),
  assignee_id text references agents (id),
  parent_id text references tasks (id),
  version integer not null default 1,
  created_by text references agents (id),
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp(),
  deleted_at timestamptz(3)
);
-- The board of a project.
create index tasks_project_idx on tasks (project_id, status) where deleted_at is null;
-- "Is there work for this agent?" of the Coordinator's question.
create index tasks_assignee_idx on tasks (assignee_id, project_id) where status = 'in_progress' and deleted_at is null;
create index tasks_parent_idx on tasks (parent_id) where parent_id is not null;

create table task_dependencies (
  task_id text not null references tasks (id),
  depends_on_id text not null references tasks (id),
  primary key (task_id, depends_on_id),
  constraint task_dependencies_self_check check (task_id <> depends_on_id)
);
create index task_dependencies_depends_on_idx on task_dependencies (depends_on_id);

-- One row. A null column means: the default.
create table app_settings (
  only_row boolean primary key default true constraint app_settings_only_row_check check (only_row),
  pending_purpose_ttl_seconds integer,
  session_idle_timeout_seconds integer,
  turn_timeout_seconds integer,
  conversation_timeout_seconds integer,
  conversation_pending_timeout_seconds integer,
  question_timeout_seconds integer,
  conversation_notice_grace_seconds integer,
  chain_max_messages integer,
  project_agent_messages_per_hour integer,
  viewer_lease_seconds integer,
  updated_at timestamptz(3) not null default clock_timestamp(),
  updated_by text
);
insert into app_settings default values;

-- Who did what that matters for security; texts and secrets are never copied here.
create table audit_entries (
  id bigint generated always as identity primary key,
  at timestamptz(3) not null default clock_timestamp(),
  actor_id text not null,
  action text not null,
  target_id text,
  project_id text,
  details jsonb not null default '{}'
);
create index audit_entries_at_idx on audit_entries (at);
