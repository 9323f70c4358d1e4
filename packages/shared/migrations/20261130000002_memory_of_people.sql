-- Plans that are kept until they are applied: a deletion takes out those that may repeat what is deleted.
create index memory_growth_planned_idx on memory_growth (agent_id) where plan is not null;
-- The tasks of an agent or person that leaves a project, or is deleted.
create index tasks_of_assignee_idx on tasks (assignee_id, project_id) where deleted_at is null;
-- The mood in one project, among those of all others.
create index memory_event_affects_project_idx on memory_event_affects (agent_id, project_id, created_at desc, id);
