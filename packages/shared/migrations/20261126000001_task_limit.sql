-- A task may also wait because its agent works on as many tasks as it may.
alter table pending_agent_purposes drop constraint pending_agent_purposes_held_for_check;
alter table pending_agent_purposes add constraint pending_agent_purposes_held_for_check
  check (held_for in ('capacity', 'task_limit', 'cooling_down', 'session_ending'));
