-- Agents ask and people click; agents are woken by the clock.

-- A card: one to four questions of one agent, answered together, by one person, once.
create table user_questions (
  -- The agent's own id of the call (SDK: toolUseID), or ours.
  tool_use_id text primary key,
  seq bigint generated always as identity,
  project_id text not null references projects (id),
  agent_id text not null references agents (id),
  -- Who waits for the answer; null when the system asks.
  session_id text references agent_sessions (id),
  -- What the system's own card is about; null for an agent's.
  about text,
  questions jsonb not null,
  -- Of the questions: the same ones while open are the same card.
  fingerprint text not null,
  state text not null default 'pending'
    constraint user_questions_state_check check (state in ('pending', 'answered', 'timeout', 'cancelled')),
  created_at timestamptz(3) not null default clock_timestamp(),
  -- Since when people see it; null: it queues behind another card of its session.
  shown_at timestamptz(3),
  -- Its session has gone without being asked to; the next one may take it over.
  orphaned_at timestamptz(3),
  resolved_at timestamptz(3),
  answers jsonb,
  answered_by text references agents (id),
  cancel_reason text,
  -- The agent was offered what became of it, and the response was written to a live connection.
  offered_at timestamptz(3),
  told_at timestamptz(3),
  constraint user_questions_answer_check check (
    (state = 'answered') = (answers is not null) and (state = 'answered') = (answered_by is not null)
    and (state = 'pending') = (resolved_at is null))
);
-- One card open per session, the last word in every race.
create unique index user_questions_open_key on user_questions (session_id)
  where state = 'pending' and shown_at is not null;
-- One open card about one thing of the system.
create unique index user_questions_about_key on user_questions (about) where state = 'pending' and about is not null;
-- What a session waits for or has not heard; the same questions again.
create index user_questions_session_idx on user_questions (session_id) where told_at is null;
create index user_questions_pair_idx on user_questions (project_id, agent_id) where told_at is null;
-- Lists of a project, newest first.
create index user_questions_project_idx on user_questions (project_id, seq desc);
-- What people are asked now: the sweeper, the inbox, a new subscriber.
create index user_questions_pending_idx on user_questions (project_id, shown_at) where state = 'pending';

create table schedules (
  id text primary key,
  project_id text not null references projects (id),
  agent_id text not null references agents (id),
  cron text not null,
  time_zone text not null,
  prompt text not null,
  enabled boolean not null,
  on_missed text not null constraint schedules_on_missed_check check (on_missed in ('skip', 'once')),
  created_by text not null references agents (id),
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp(),
  -- Null while it is disabled.
  next_run_at timestamptz(3),
  last_run_at timestamptz(3),
  last_run_outcome text constraint schedules_last_run_outcome_check
    check (last_run_outcome in ('started', 'skipped_overlap', 'skipped_missed', 'skipped_paused')),
  deleted_at timestamptz(3),
  constraint schedules_next_run_check check (next_run_at is null or (enabled and deleted_at is null))
);
create index schedules_due_idx on schedules (next_run_at) where next_run_at is not null;
create index schedules_project_idx on schedules (project_id, created_at, id) where deleted_at is null;

-- A message that a schedule wrote in its maker's name: nobody sits in front of it.
alter table chat_messages add column schedule_id text;
-- Whether the last prompt of a schedule is still waiting or being worked on.
create index chat_messages_schedule_idx on chat_messages (schedule_id)
  where schedule_id is not null and state in ('stored', 'delivered');
-- The wake-up was made by a schedule.
alter table pending_agent_purposes add column schedule_id text;
-- Failed messages of one person: his inbox.
create index chat_messages_failed_idx on chat_messages (human_id, failed_at) where state = 'failed';
