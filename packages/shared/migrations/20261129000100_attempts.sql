-- What is tried at a task, what is kept of it for the next attempt, and what is said about it.
create table if not exists task_attempts (
  task_id text not null references tasks (id),
  n integer not null,
  agent_id text not null references agents (id),
  -- Of a run that was started for it; runs are forgotten, attempts are not.
  run_id text,
  started_at timestamptz(3) not null,
  ended_at timestamptz(3),
  outcome text constraint task_attempts_outcome_check
    check (outcome in ('done', 'blocked', 'cancelled', 'taken_away', 'crashed', 'stopped')),
  summary text,
  primary key (task_id, n),
  constraint task_attempts_end_check check ((ended_at is null) = (outcome is null))
);
-- At most one attempt at a task is open.
create unique index if not exists task_attempts_open_key on task_attempts (task_id) where ended_at is null;
-- The open attempts of an agent that leaves.
create index if not exists task_attempts_agent_idx on task_attempts (agent_id) where ended_at is null;
-- Whether the attempt of a run has failed.
create index if not exists task_attempts_run_idx on task_attempts (run_id) where run_id is not null;

create table if not exists task_contexts (
  id text primary key,
  task_id text not null references tasks (id),
  attempt integer,
  agent_id text references agents (id),
  body text not null,
  created_at timestamptz(3) not null default clock_timestamp()
);
create index if not exists task_contexts_task_idx on task_contexts (task_id, created_at desc, id desc);

create table if not exists task_comments (
  id text primary key,
  task_id text not null references tasks (id),
  author_id text references agents (id),
  body text not null,
  created_at timestamptz(3) not null default clock_timestamp()
);
create index if not exists task_comments_task_idx on task_comments (task_id, created_at desc, id desc);
