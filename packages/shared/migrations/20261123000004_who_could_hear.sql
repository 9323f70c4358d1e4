-- Each mcp-server says here every two seconds, by the database's clock, that it could hear; `since` begins anew after a
-- gap. The silence of others counts only while somebody could have heard them. A handful of rows, read as a whole.
create table listening_marks (
  id text primary key,
  since timestamptz(3) not null,
  seen_at timestamptz(3) not null
);

-- The home that a Coordinator keeps its state in: two of one id are told apart by it. Null: it names none.
alter table coordinators add column instance_id text;
