-- Work is keyed by (agent, project, purpose, task): a chat has no task, and what is done for a task names it.
alter table pending_agent_purposes
  add constraint pending_agent_purposes_task_check check ((purpose = 'task') = (task_id <> ''));
alter table agent_runs add constraint agent_runs_task_check check ((purpose = 'task') = (task_id <> ''));
alter table agent_sessions add constraint agent_sessions_task_check check ((purpose = 'task') = (task_id <> ''));

-- The queue in its order: several rows of one pair may stand in it.
drop index pending_agent_purposes_queue_idx;
create index pending_agent_purposes_queue_idx
  on pending_agent_purposes (created_at, project_id, agent_id, purpose, task_id) where held_for = 'capacity';

-- The newest run of each key of work: how the earlier ones ended needs nobody's attention.
drop index agent_runs_newest_idx;
create index agent_runs_newest_idx on agent_runs (agent_id, project_id, purpose, task_id) where not followed;
