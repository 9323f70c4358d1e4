-- What an agent does in a turn at a task: its steps are kept as those of an answer are, and become no message.
alter table growing_answers
  -- The task and the attempt that the turn is of; null: it is an answer.
  add column task_id text,
  add column attempt integer,
  add constraint growing_answers_turn_check check ((task_id is null) = (attempt is null));
-- The turns of an attempt.
create index growing_answers_task_idx on growing_answers (task_id, attempt, began_at) where task_id is not null;
-- They are kept longer than answers that came to nothing.
drop index growing_answers_discarded_idx;
create index growing_answers_discarded_idx on growing_answers (discarded_at)
  where discarded_at is not null and task_id is null;
create index growing_answers_turns_over_idx on growing_answers (discarded_at)
  where discarded_at is not null and task_id is not null;
