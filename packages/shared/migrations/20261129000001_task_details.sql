alter table tasks
  add column labels text[] not null default '{}',
  add column due_date date,
  -- The order within a column: a smaller number is higher. The default puts a new task at the end.
  add column position double precision not null default extract(epoch from clock_timestamp());
update tasks set position = extract(epoch from created_at);

create table task_comments (
  id text primary key,
  task_id text not null references tasks (id),
  author_id text references agents (id),
  body text not null,
  created_at timestamptz(3) not null default clock_timestamp()
);
-- The comments of a task, in order.
create index task_comments_task_idx on task_comments (task_id, created_at, id);

-- What was changed in a task, by whom.
create table task_history (
  id text primary key,
  task_id text not null references tasks (id),
  -- Null: the product itself, as when the last dependency is done.
  by_id text references agents (id),
  field text not null,
  from_value text,
  to_value text,
  created_at timestamptz(3) not null default clock_timestamp()
);
create index task_history_task_idx on task_history (task_id, created_at, id);

-- One time that an agent has worked on a task.
create table task_attempts (
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
create unique index task_attempts_open_key on task_attempts (task_id) where ended_at is null;
-- The open attempts of an agent that leaves.
create index task_attempts_agent_idx on task_attempts (agent_id) where ended_at is null;
-- Whether the attempt of a run has failed.
create index task_attempts_run_idx on task_attempts (run_id) where run_id is not null;

-- What an agent has saved in the work on a task, for itself or for the next attempt.
create table task_contexts (
  id text primary key,
  task_id text not null references tasks (id),
  attempt integer,
  agent_id text references agents (id),
  body text not null,
  created_at timestamptz(3) not null default clock_timestamp()
);
create index task_contexts_task_idx on task_contexts (task_id, created_at, id);
