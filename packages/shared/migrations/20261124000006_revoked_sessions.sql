-- A session whose agent, project, membership or credential is gone reads and writes nothing more, while it may still
-- hear its end.
alter table agent_sessions add column revoked_at timestamptz(3);
