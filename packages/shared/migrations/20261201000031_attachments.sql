-- Files that people attach to messages and comments. A list reads this row and never the bytes.
create table attachments (
  id text primary key,
  project_id text not null references projects (id),
  -- Who has uploaded it. Only this person may use it.
  human_id text not null references agents (id),
  name text not null,
  media_type text not null,
  size integer not null constraint attachments_size_check check (size between 1 and 5242880),
  created_at timestamptz(3) not null default clock_timestamp(),
  -- What it is attached to; both null: nothing yet. A message or a task is never deleted as a row, so there is no foreign key
  -- whose check would cost each of them an index.
  message_id text,
  task_id text,
  constraint attachments_use_check check (message_id is null or task_id is null)
);
-- The files of a project, with their sum: its quota.
create index attachments_project_idx on attachments (project_id) include (size);
-- What goes with a task that is deleted.
create index attachments_task_idx on attachments (task_id) where task_id is not null;
-- Retention: what was uploaded and never used.
create index attachments_unused_idx on attachments (created_at) where message_id is null and task_id is null;

create table attachment_bytes (
  attachment_id text primary key references attachments (id) on delete cascade,
  bytes bytea not null
);
-- Pictures and archives are compressed already.
alter table attachment_bytes alter column bytes set storage external;

-- What the rows say of their files: [{id, name, mediaType, size}]. It never changes.
alter table chat_messages add column attachments jsonb;
alter table task_comments add column attachments jsonb;
