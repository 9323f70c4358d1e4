-- When the context of this chat began: what a program remembers from before it is not continued.
alter table project_agents add column chat_context_since timestamptz(3) not null default now();
