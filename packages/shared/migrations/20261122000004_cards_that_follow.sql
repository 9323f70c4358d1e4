-- What a person says to a card of the system reaches every agent that waits for it: each has a card of its own that
-- nobody sees, and that gets the same answer.
alter table user_questions add column follows text references user_questions (tool_use_id);
-- One for each agent; and those whose answer has come.
create unique index user_questions_follows_key on user_questions (follows, agent_id) where follows is not null;
