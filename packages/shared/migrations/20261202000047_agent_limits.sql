-- What the runs of an agent may need in a container, {memoryMb?, cpus?, processes?}; what is not named, or null, is as the
-- Coordinator sets it.
alter table agents add column limits jsonb;
