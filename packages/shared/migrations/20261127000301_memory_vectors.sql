-- The vectors of what a memory holds, made by the model of EMBEDDING_*. Without that model both tables stay empty.

-- Rises with each writing of a document: the order in which texts are embedded, and by which a vector of an older text is
-- known.
-- Writes the table anew. The postings are made again at the end (memory_of_projects), once.
drop index memory_documents_terms_idx;
alter table memory_documents add column text_seq bigint not null generated always as identity;
-- The documents whose text was written after a place, and before one.
create index memory_documents_text_idx on memory_documents (text_seq);

create table memory_vectors (
  document_id bigint primary key references memory_documents (id) on delete cascade,
  agent_id text not null,
  -- By which it was made: a search uses those of one model only.
  model text not null,
  -- Of the text that was embedded.
  text_seq bigint not null,
  -- Rises with each writing: what a search has not loaded yet.
  seq bigint not null generated always as identity,
  -- Of length 1, as float32, little endian. Null: the model refuses the text.
  vector bytea
);
-- What a search loads of the vectors of one agent.
create index memory_vectors_agent_idx on memory_vectors (agent_id, seq);
-- Numbers that look random: compression costs time and saves nothing.
alter table memory_vectors alter column vector set storage external;

-- The models that have embedded, the configured one last.
create table memory_embedding (
  model text primary key,
  -- Every document up to this text_seq is embedded, and no other can appear there.
  position bigint not null default 0,
  -- How much its vectors count in a search, by what it was measured to find. Null: not measured yet.
  weight real,
  -- How many numbers a vector has.
  dimensions integer,
  -- Of several memory services one embeds, while its lease lasts.
  lease_owner text,
  lease_until timestamptz(3) not null default '-infinity',
  configured_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp()
);
