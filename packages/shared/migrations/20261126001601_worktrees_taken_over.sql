-- A run that goes on with the work of a run that was interrupted takes over its worktree: the row then belongs to the later
-- run. The folder and the branch keep the name of the run that the worktree was made for.
alter table worktrees add column made_for text;
update worktrees set made_for = run_id;
alter table worktrees alter column made_for set not null;
alter table worktrees add constraint worktrees_made_for_key unique (made_for);
