-- Runs may live in Jobs of a Kubernetes cluster; their node is one of the cluster.
alter table agent_runs
  drop constraint agent_runs_executor_check,
  add check (executor in ('process', 'docker', 'swarm', 'kubernetes'));
alter table coordinators
  drop constraint coordinators_executor_check,
  add check (executor in ('process', 'docker', 'swarm', 'kubernetes'));
