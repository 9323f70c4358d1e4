-- Since when a session has a decided card that it has not asked for: a person decided after the process had died.
-- Null: it asked for it itself.
alter table user_questions add column inherited_at timestamptz(3);
alter table approvals add column inherited_at timestamptz(3);
