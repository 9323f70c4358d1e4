-- The worktree of a run, and what changed in it. The folder is on the host of its Coordinator.
create table working_copies (
  run_id text primary key references agent_runs (id) on delete cascade,
  coordinator_id text not null,
  state text not null default 'created' constraint working_copies_state_check
    check (state in ('created', 'conflict', 'kept', 'discarded', 'unchanged', 'lost')),
  base_commit text not null,
  branch text not null,
  -- The branch of the project's folder when the copy was made; null: none was checked out.
  into_branch text,
  created_at timestamptz not null,
  -- What changed, as the Coordinator last saw it; null: not seen yet.
  seen_at timestamptz,
  files jsonb not null default '[]',
  file_count int not null default 0,
  additions int not null default 0,
  deletions int not null default 0,
  left_out jsonb not null default '[]',
  -- Why the last attempt to keep it changed nothing.
  conflict jsonb,
  -- What the Coordinator was asked to do and has not reported; its number is in the report.
  order_kind text constraint working_copies_order_check check (order_kind in ('look', 'keep', 'discard')),
  order_number int not null default 0,
  ordered_at timestamptz,
  -- Why the last order failed, for people.
  fault text,
  decided_by text references agents (id),
  decided_at timestamptz
);
-- What a Coordinator is asked to do.
create index working_copies_ordered_idx on working_copies (coordinator_id) where order_kind is not null;
-- What waits for a person; forgetting runs leaves these.
create index working_copies_undecided_idx on working_copies (run_id) where state in ('created', 'conflict');
