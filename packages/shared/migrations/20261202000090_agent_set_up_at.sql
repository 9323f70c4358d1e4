-- When what an agent is started with was changed last: a process that started before still runs with what was there then.
-- Null: never since the agent was made.
alter table agents add column set_up_at timestamptz(3);
