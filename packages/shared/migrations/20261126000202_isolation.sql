-- Whether the agents of a project share its folder, or each run has a worktree of its own.
alter table projects add column isolation text not null default 'shared'
  constraint projects_isolation_check check (isolation in ('shared', 'worktree'));
