-- What a person has put away of the inbox. An item is hidden while it is not newer than its mark, so the same task that is
-- blocked again is shown again. Only this person reads the row, and it holds no text: it goes with its retention, also
-- that of a person or project that was deleted.
create table inbox_marks (
  human_id text not null references agents (id),
  kind text not null
    constraint inbox_marks_kind_check check (kind in ('failed_message', 'failed_run', 'blocked_task')),
  ref_id text not null,
  marked_at timestamptz(3) not null,
  -- null: dismissed. Else it comes back then.
  hidden_until timestamptz(3),
  primary key (human_id, kind, ref_id)
);
-- Retention.
create index inbox_marks_marked_idx on inbox_marks (marked_at);

-- The invitations of a person that were not used: a new passkey voids them.
create index sign_in_codes_unused_idx on sign_in_codes (agent_id) where used_at is null;
