-- Agents ask for permission to use a tool, and a person decides.

create table approvals (
  -- The agent's own id of the call, or ours; REST calls it id.
  tool_use_id text primary key,
  seq bigint generated always as identity,
  project_id text not null references projects (id),
  agent_id text not null references agents (id),
  -- Who waits for the decision; it keeps the id of a session that was pruned.
  session_id text not null,
  tool text not null,
  -- What the agent says that it is.
  kind text not null constraint approvals_kind_check check (kind in ('edit', 'command', 'other')),
  summary text not null,
  -- Not jsonb: people read the keys in the order in which the agent wrote them.
  input json not null,
  -- Long texts in it were shortened.
  input_cut boolean not null,
  -- Of the whole request: the same one while open is the same approval.
  fingerprint text not null,
  state text not null default 'pending' constraint approvals_state_check
    check (state in ('pending', 'allowed_once', 'allowed_session', 'denied', 'timeout', 'cancelled')),
  created_at timestamptz(3) not null default clock_timestamp(),
  -- Its session ended without being asked to; the next one may take it over.
  orphaned_at timestamptz(3),
  resolved_at timestamptz(3),
  decided_by text references agents (id),
  -- Decided at once by the policy of the project.
  policy text,
  note text,
  cancel_reason text,
  -- The first time that a response with the decision was made: from then on it is used.
  offered_at timestamptz(3),
  acknowledged_at timestamptz(3),
  -- How often a session that names receipts was told without naming it.
  tellings integer not null default 0,
  constraint approvals_resolved_check check ((state = 'pending') = (resolved_at is null)),
  -- Nothing but a person or the policy decides: no time, no end and no default is a decision.
  constraint approvals_decided_check check (num_nonnulls(decided_by, policy)
    = case when state in ('allowed_once', 'allowed_session', 'denied') then 1 else 0 end),
  constraint approvals_policy_check check (policy is null or (policy = 'deny' and state = 'denied')
    or (policy = 'allow_edits' and state = 'allowed_once' and kind = 'edit'))
);
-- What a session waits for or has not heard; the same request again.
create index approvals_session_idx on approvals (session_id) where acknowledged_at is null;
create index approvals_pair_idx on approvals (project_id, agent_id) where acknowledged_at is null;
-- Lists of a project, newest first.
create index approvals_project_idx on approvals (project_id, seq desc);
-- What people are asked now: the sweeper, the inbox, a new subscriber.
create index approvals_pending_idx on approvals (project_id, created_at) where state = 'pending';
