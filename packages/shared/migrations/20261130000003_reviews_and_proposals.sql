-- Since when the reviewer looks at it; null: it was not handed in.
alter table tasks add column review_since timestamptz(3);
-- The inbox: what waits for the review of a person, longest first.
create index tasks_review_idx on tasks (assignee_id, review_since)
  where review_since is not null and deleted_at is null;

-- Parts of a task that an agent proposes. A person makes tasks of them, or not.
create table task_proposals (
  id text primary key,
  project_id text not null references projects (id),
  task_id text not null references tasks (id),
  agent_id text not null references agents (id),
  -- [{title, description?, assigneeId?, dependsOn: [index of an earlier one]}]
  parts jsonb not null,
  state text not null default 'open' constraint task_proposals_state_check
    check (state in ('open', 'accepted', 'declined', 'replaced')),
  created_at timestamptz(3) not null,
  resolved_at timestamptz(3),
  resolved_by text references agents (id),
  -- The tasks that were made.
  task_ids text[] not null default '{}'
);
-- At most one of a task waits for a person.
create unique index task_proposals_open_key on task_proposals (task_id) where state = 'open';
-- The inbox: those that wait, longest first.
create index task_proposals_waiting_idx on task_proposals (project_id, created_at) where state = 'open';
-- Those of a task, the newest first.
create index task_proposals_task_idx on task_proposals (task_id, created_at desc, id desc);
-- Those that were decided, and are forgotten.
create index task_proposals_resolved_idx on task_proposals (resolved_at) where resolved_at is not null;
