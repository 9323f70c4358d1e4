-- The models that its provider offered to an agent when it was last started. A choice for people, nothing else reads it.
create table offered_models (
  agent_id text primary key references agents (id) on delete cascade,
  provider text not null,
  -- Which program of provider acp; empty for other providers.
  program text not null default '',
  models jsonb not null,
  seen_at timestamptz not null
);
create index offered_models_program_idx on offered_models (provider, program, seen_at);

-- Which programs for agents a Coordinator found on its host. It looks when it is asked.
create table host_programs (
  coordinator_id text primary key references coordinators (id) on delete cascade,
  asked_at timestamptz,
  -- Null: it has not looked yet.
  seen_at timestamptz,
  programs jsonb not null default '[]'
);

alter table app_settings add column warm_on_hover integer;
