-- How much an agent has written in this hour (UTC), into its chat and its conversations: kept in the row that each of
-- these statements updates anyway.
alter table chat_threads
  add column said_hour timestamptz,
  add column said_bytes bigint not null default 0;

alter table app_settings add column agent_bytes_per_hour integer;
