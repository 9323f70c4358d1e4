-- A person is asked for an image. The row holds what is asked and what became of it, never the image; what a model said
-- that the image shows is an event of the memory (memory_events, source vision_detail).

create table vision_requests (
  id text primary key,
  agent_id text not null references agents (id),
  -- null: general, asked by an owner.
  project_id text references projects (id),
  -- Whose page is asked: a person, or a client of a person's own.
  client_id text not null,
  -- The person who asked by REST; null: the agent asks.
  asked_by text references agents (id),
  -- The session of the agent that asks, which gets the answer.
  session_id text,
  source text not null,
  timeout_ms integer not null,
  created_at timestamptz(3) not null,
  -- Open until then; nobody has to write that it timed out.
  expires_at timestamptz(3) not null,
  state text not null default 'pending'
    constraint vision_requests_state_check check (state in ('pending', 'describing', 'described', 'declined')),
  -- The answer that is being described, and until when its process has to be done: then it counts as dead.
  claim_id text,
  claimed_until timestamptz(3),
  -- Of a description.
  event_id text,
  -- Why it was declined, in the words of the person's page.
  reason text,
  resolved_at timestamptz(3),
  -- The session was told what became of it: the same request is a new one from then on.
  told_at timestamptz(3),
  constraint vision_requests_claim_check
    check ((state = 'describing') = (claim_id is not null) and (claim_id is null) = (claimed_until is null)),
  constraint vision_requests_described_check check ((state = 'described') = (event_id is not null)),
  constraint vision_requests_resolved_check
    check ((state in ('described', 'declined')) = (resolved_at is not null))
);
-- The open ones of an agent, for its readers.
create index vision_requests_open_idx on vision_requests (agent_id, created_at)
  where state in ('pending', 'describing');
-- Those of a session that were not told.
create index vision_requests_session_idx on vision_requests (session_id, created_at)
  where session_id is not null and told_at is null;
create index vision_requests_agent_idx on vision_requests (agent_id, project_id);
-- Retention.
create index vision_requests_expiry_idx on vision_requests (expires_at);
