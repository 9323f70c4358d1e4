-- Where the process of a run lives, as its Coordinator says when it has started it: the executor, of a container the image,
-- and its limits. Null: not said.
alter table agent_runs
  add column executor text check (executor in ('process', 'docker')),
  add column image text,
  add column limits jsonb,
  -- What all its processes need together in MiB: at the last reading, and at most of all readings.
  add column memory_mb integer,
  add column memory_most_mb integer;
