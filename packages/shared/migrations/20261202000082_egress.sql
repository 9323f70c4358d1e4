-- What the agents of a project may reach from their containers, beside the mcp-server. Null: what the network of the
-- Coordinator reaches. Such agents are given to a Coordinator that keeps them to it, while one lives.
alter table projects add column egress text[] check (cardinality(egress) <= 100);
alter table coordinators add column keeps_egress boolean not null default false;
