-- In a project whose agents share its folder, one agent that writes files works at a time (core/sessions/rules/folder-lease.ts).

-- Its agent works in the folder of the project, and shares it: decided at the sign-in.
alter table agent_sessions add column shares_folder boolean not null default false;
-- The agent for which its waiting messages wait; null: they wait for nobody.
alter table agent_sessions add column folder_wait_for text;
-- Who works in the folder of a project, and who waits for it.
create index agent_sessions_folder_idx on agent_sessions (project_id) where shares_folder and state <> 'ended';

-- A process that is started for its work has the folder before its session is given any.
alter table agent_runs add column reserves_folder boolean not null default false;
create index agent_runs_folder_idx on agent_runs (project_id) where reserves_folder and state <> 'exited';

-- Sessions that live through the update.
update agent_sessions s set shares_folder = true
from projects p, agents a
where s.state <> 'ended' and p.id = s.project_id and p.isolation = 'shared' and a.id = s.agent_id
  and coalesce((select r.provider from agent_runs r where r.id = s.run_id), a.provider) in ('claude', 'acp', 'command');

alter table pending_agent_purposes
  drop constraint pending_agent_purposes_held_for_check,
  add constraint pending_agent_purposes_held_for_check
    check (held_for in ('capacity', 'task_limit', 'cooling_down', 'session_ending', 'usage_limit', 'folder_in_use'));
