-- Who has made an invitation: it is worth nothing when that one is no owner any more. Null: the link of the first start.
alter table sign_in_codes add column invited_by text references agents (id);
create index sign_in_codes_invited_by_idx on sign_in_codes (invited_by) where used_at is null and invited_by is not null;

-- Since when a task is blocked: what a person has put away of it stays away while it is edited or moved within its column.
-- A trigger keeps it, so that no writer of a status can forget it.
alter table tasks add column blocked_since timestamptz(3);
update tasks set blocked_since = updated_at where status = 'blocked';
create function keep_blocked_since() returns trigger language plpgsql as $$
begin
  if new.status <> 'blocked' then new.blocked_since = null;
  elsif tg_op = 'INSERT' then new.blocked_since = new.updated_at;
  elsif old.status <> 'blocked' then new.blocked_since = new.updated_at;
  end if;
  return new;
end $$;
create trigger tasks_blocked_since before insert or update of status on tasks
  for each row execute function keep_blocked_since();
drop index tasks_blocked_idx;
create index tasks_blocked_idx on tasks (project_id, blocked_since) include (id)
  where status = 'blocked' and deleted_at is null;
