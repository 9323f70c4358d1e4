-- Whose words a run of retrieval holds, so that a deletion finds it: ids of the messages that were searched for before
-- they were an event, and of the items that were used or shown to a model. A run that was made for messages before this
-- migration names none of them: it goes with its age.
alter table retrieval_runs add column words_of text[] not null default '{}';
update retrieval_runs set words_of = array(
    select distinct coalesce(part ->> 'event_id', part ->> 'state_id') from jsonb_array_elements(selected) as part
    where coalesce(part ->> 'event_id', part ->> 'state_id') is not null)
  where selected is not null;
create index retrieval_runs_words_idx on retrieval_runs using gin (words_of);
drop index retrieval_runs_selected_idx;
