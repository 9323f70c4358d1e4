-- A session for a task is told to work on it, as it is told everything else: offered, then acknowledged.
alter table agent_sessions
  add column task_offered_at timestamptz(3),
  add column task_offers integer not null default 0,
  add column task_told_at timestamptz(3);

alter table tasks
  -- Attempts in a row that have failed since somebody moved it to in_progress.
  add column failures integer not null default 0,
  -- The person who moved it there: its session may ask people. Null: an agent did, or it began by itself.
  add column started_by text references agents (id),
  -- The chain of the agent that began it: its session continues the chain.
  add column chain_id text;

-- A conversation that a worker has opened from its task.
alter table conversations add column task_id text references tasks (id);
-- The conversations of a task, the newest first.
create index conversations_task_idx on conversations (task_id, created_at desc, id desc) where task_id is not null;

-- Tasks that agents have begun for agents in the chain; they count in its limit, as messages do.
alter table conversation_chains add column task_count integer not null default 0;
