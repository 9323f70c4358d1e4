-- How far the image is pulled that a run waits for, in percent, as its Coordinator says. Null: it waits for none.
alter table agent_runs add column pull_percent integer check (pull_percent between 0 and 100);
