-- What runs live in at a Coordinator, and in what an agent must live: `any` is either. An agent that must live in a
-- container is given to a Coordinator that has them, while one lives.
alter table coordinators add column executor text not null default 'process' check (executor in ('process', 'docker'));
alter table agents add column executor text not null default 'any' check (executor in ('any', 'docker'));
