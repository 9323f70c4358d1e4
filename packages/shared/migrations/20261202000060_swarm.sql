-- Runs may live in services of a swarm: the node is the one on which the container of the run is. Null: not in a swarm.
alter table agent_runs
  drop constraint agent_runs_executor_check,
  add check (executor in ('process', 'docker', 'swarm')),
  add column node text;
alter table coordinators
  drop constraint coordinators_executor_check,
  add check (executor in ('process', 'docker', 'swarm'));
