-- What people read costs what they are shown: unread is a subtraction of two counters, lists come from indexes.

alter table chat_threads
  -- Visible messages of a chat that no person wrote: what people have to read. Kept by the statement that stores one.
  add column news_count bigint not null default 0,
  -- The hour of the newest of them. Not its moment: the index below would then have to follow each of them (no HOT).
  add column news_hour timestamptz;
-- The thread's news_count at last_seq: what it has counted since then is unread.
alter table read_marks add column news_count bigint not null default 0;

-- The first message that a person has not read; how many come after the one he has read up to.
create index chat_messages_news_idx on chat_messages (thread_id, seq)
  where visible and sender <> 'user' and conversation_id is null;

update chat_threads t set news_count = news.count, news_hour = news.hour
from (
  select thread_id, count(*) as count, date_trunc('hour', max(created_at), 'UTC') as hour from chat_messages
  where visible and sender <> 'user' and conversation_id is null group by thread_id) news
where t.id = news.thread_id;
update read_marks r set news_count = (
  select count(*) from chat_messages m where m.thread_id = r.thread_id and m.seq <= r.last_seq
    and m.visible and m.sender <> 'user' and m.conversation_id is null)
where r.last_seq > 0;
-- The inbox: chats with the newest words first, until enough of them are unread.
create index chat_threads_news_idx on chat_threads (news_hour desc, id)
  where news_hour is not null and conversation_id is null;

-- A newer run of the same agent in the same project has been started: how this one ended waits for nobody any more.
alter table agent_runs add column followed boolean not null default false;
update agent_runs r set followed = true
from (select id, row_number() over (partition by agent_id, project_id order by started_at desc, id desc) as age
  from agent_runs) aged
where aged.id = r.id and aged.age > 1;
-- The run that a new one follows.
create index agent_runs_newest_idx on agent_runs (agent_id, project_id) where not followed;
-- The inbox: newest runs that failed.
create index agent_runs_failed_idx on agent_runs (project_id, ended_at)
  where not followed and exit_cause in ('crashed', 'could_not_start', 'stalled', 'lost');
-- The inbox: tasks that wait for a person, longest first.
create index tasks_blocked_idx on tasks (project_id, updated_at) include (id)
  where status = 'blocked' and deleted_at is null;

-- Crashes in a row: those of one agent, when it last answered, and when the system last said something in its chat.
create index agent_runs_crashed_idx on agent_runs (agent_id, project_id, ended_at)
  where exit_cause in ('crashed', 'could_not_start');
create index chat_messages_answered_idx on chat_messages (deliver_to, project_id, answered_at)
  where state = 'answered';
create index chat_messages_system_idx on chat_messages (thread_id, seq) where visible and sender = 'system';

-- Sign-in failures that are forgotten.
create index sign_in_failures_last_failed_idx on sign_in_failures (last_failed_at);
