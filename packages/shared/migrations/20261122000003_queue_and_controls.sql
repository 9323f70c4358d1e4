-- Why a wake-up waits: the queue for a place is told with positions, the other two without.
alter table pending_agent_purposes add column held_for text
  constraint pending_agent_purposes_held_for_check check (held_for in ('capacity', 'cooling_down', 'session_ending'));
update pending_agent_purposes set held_for = 'capacity' where held_since is not null;
alter table pending_agent_purposes
  add constraint pending_agent_purposes_held_check check ((held_for is null) = (held_since is null));
-- The queue in its order.
create index pending_agent_purposes_queue_idx on pending_agent_purposes (created_at, project_id, agent_id)
  where held_for = 'capacity';

-- A control of a running turn is told once; what was offered and not seen to arrive is told again, marked.
alter table agent_sessions
  add column control_offered text
    constraint agent_sessions_control_offered_check check (control_offered in ('interrupt', 'stop')),
  add column control_told text
    constraint agent_sessions_control_told_check check (control_told in ('interrupt', 'stop'));

-- Given up by us, perhaps still alive on their host: they keep their place until it lists them no more.
create index agent_runs_given_up_idx on agent_runs (coordinator_id)
  where exit_cause in ('lost', 'stalled');

-- Since when it is shown as gone; told once, cleared when it is back.
alter table coordinators add column silent_since timestamptz(3);
