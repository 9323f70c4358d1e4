-- When a person has put something away: `marked_at` is the time of the thing that the person saw, which may be long
-- before. The list of what was put away and its retention go by this time.
alter table inbox_marks add column put_away_at timestamptz(3);
update inbox_marks set put_away_at = marked_at;
alter table inbox_marks alter column put_away_at set not null;
drop index inbox_marks_marked_idx;
-- Retention.
create index inbox_marks_put_away_idx on inbox_marks (put_away_at);
-- What one person has put away, the newest first.
create index inbox_marks_of_person_idx on inbox_marks (human_id, put_away_at desc, ref_id desc);
