create table if not exists task_attempts (
  task_id text not null references tasks (id),
  n integer not null,
  agent_id text not null references agents (id),
  run_id text,
  started_at timestamptz(3) not null,
  ended_at timestamptz(3),
  outcome text,
  summary text,
  primary key (task_id, n)
);
create table if not exists task_contexts (
  id text primary key,
  task_id text not null references tasks (id),
  attempt integer,
  agent_id text references agents (id),
  body text not null,
  created_at timestamptz(3) not null default clock_timestamp()
);
create table if not exists task_comments (
  id text primary key,
  task_id text not null references tasks (id),
  author_id text references agents (id),
  body text not null,
  created_at timestamptz(3) not null default clock_timestamp()
);
