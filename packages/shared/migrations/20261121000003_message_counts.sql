-- Messages that people do not see are few: what a chat shows is last_seq less these, without counting them all.
create index chat_messages_invisible_idx on chat_messages (thread_id) where not visible;
