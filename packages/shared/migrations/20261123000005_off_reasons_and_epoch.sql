-- Why the system switched a schedule off; null while it is on, or when a person did.
alter table schedules
  add column off_reason text constraint schedules_off_reason_check check (off_reason in
    ('agent_deleted', 'agent_removed', 'project_archived', 'maker_deleted', 'maker_not_member', 'maker_may_not_write')),
  -- False: the agent's chat has not been told yet.
  add column off_said boolean not null default true,
  add constraint schedules_off_check check (off_reason is null or not enabled),
  add constraint schedules_off_said_check check (off_said or off_reason is not null);
-- A person loses rights: what runs in his name.
create index schedules_maker_idx on schedules (created_by) where enabled;
-- The sweeper: what is still to be told.
create index schedules_off_unsaid_idx on schedules (id) where not off_said;

-- The log's transaction ids mean something only in the cluster that gave them. One row: which cluster that is, and a
-- word that every cursor carries. A start on a restored database empties the log and makes another word.
create table log_epoch (
  only_row boolean primary key default true constraint log_epoch_only_row_check check (only_row),
  epoch text not null,
  cluster text not null,
  begun_at timestamptz(3) not null default clock_timestamp()
);
