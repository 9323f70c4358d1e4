-- Why something failed, as a code with parameters: each reader reads it in its language. Null: only the text beside it is
-- known, because it is older than this column or was written by another client.
alter table agent_runs add column reason jsonb;
alter table task_attempts add column reason jsonb;
alter table worktrees add column reason jsonb;
