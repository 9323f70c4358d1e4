-- Everything that is not history is forgotten after a time, in small steps: each step finds the oldest rows by an index.

-- A session, and a chain, is forgotten long before the conversations and cards that were its own: their columns keep the
-- id of what is no more, as chat_messages.delivered_session_id does.
alter table conversations
  drop constraint conversations_initiator_session_id_fkey,
  drop constraint conversations_participant_session_id_fkey,
  drop constraint conversations_chain_id_fkey;
alter table conversation_notices drop constraint conversation_notices_session_id_fkey;
alter table user_questions drop constraint user_questions_session_id_fkey;

-- Of the chains that stand already nobody knows when they began: they count from now.
alter table conversation_chains add column created_at timestamptz(3) not null default now();
alter table conversation_chains alter column created_at set default clock_timestamp();
-- The oldest chains; and whether anything was said in one lately.
create index conversation_chains_created_idx on conversation_chains (created_at);
create index conversations_chain_ended_idx on conversations (chain_id, ended_at) where ended_at is not null;

-- Each serves the pruning of its table, the oldest first.
create index agent_sessions_ended_idx on agent_sessions (ended_at, id) where state = 'ended';
create index agent_runs_ended_idx on agent_runs (ended_at, id) where state = 'exited';
create index launch_tickets_revoked_idx on launch_tickets (revoked_at) where revoked_at is not null;
create index access_tokens_over_idx on access_tokens (least(revoked_at, expires_at))
  where revoked_at is not null or expires_at is not null;
create index sign_in_codes_expires_idx on sign_in_codes (expires_at);
create index conversation_notices_done_idx on conversation_notices (created_at)
  where told_at is not null or gone_at is not null;
create index pending_purpose_outcomes_removed_idx on pending_purpose_outcomes (removed_at);
create index session_viewers_lease_idx on session_viewers (lease_until);
-- Also the sweeper's, each second: whose unload beacon has come to count.
create index session_viewers_leaving_idx on session_viewers (leaving_at) where leaving_at is not null;
