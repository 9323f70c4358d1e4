-- Whom a comment on a task names after an @. It waits in that person's inbox until the person has seen the comment, which
-- removes the row, or has put it away. The row holds no text; it goes with its comment, and with its retention.
create table comment_mentions (
  comment_id text not null references task_comments (id) on delete cascade,
  human_id text not null references agents (id),
  created_at timestamptz(3) not null,
  primary key (comment_id, human_id)
);
-- The inbox of a person, the newest first.
create index comment_mentions_of_person_idx on comment_mentions (human_id, created_at desc, comment_id);
-- Retention.
create index comment_mentions_created_idx on comment_mentions (created_at);
