-- Whom a message in a chat with people names after an @. It waits in that person's inbox until the message is read or put
-- away. The row holds no text; it goes with its retention.
create table mentions (
  message_id text not null references chat_messages (id) on delete cascade,
  human_id text not null references agents (id),
  created_at timestamptz(3) not null,
  primary key (message_id, human_id)
);
-- The inbox of a person, the newest first.
create index mentions_of_person_idx on mentions (human_id, created_at desc, message_id);
-- Retention.
create index mentions_created_idx on mentions (created_at);

alter table inbox_marks drop constraint inbox_marks_kind_check;
alter table inbox_marks add constraint inbox_marks_kind_check
  check (kind in ('failed_message', 'failed_run', 'blocked_task', 'mention'));

-- Who is told of everything else is told of mentions.
update notification_settings set rules = rules || '{"mention": {"sends": true, "inQuiet": false}}';
update notification_channels set categories = array_append(categories, 'mention') where cardinality(categories) > 0;
