-- What a session has asked in the last hour is counted before each request for permission.
create index approvals_session_created_idx on approvals (session_id, created_at);

-- The oldest of what is over is found to be deleted.
create index approvals_resolved_idx on approvals (resolved_at) where resolved_at is not null;
create index user_questions_resolved_idx on user_questions (resolved_at) where resolved_at is not null;

-- What the policy of the project decided waits for nobody: the same request is decided again.
update approvals set acknowledged_at = resolved_at where policy is not null and acknowledged_at is null;
