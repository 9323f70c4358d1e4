-- told_at: since when the session is offered the end, again and again for a minute unless it acknowledges it.
alter table vision_requests add column acknowledged_at timestamptz(3);
update vision_requests set acknowledged_at = told_at where told_at is not null;
drop index vision_requests_session_idx;
create index vision_requests_session_idx on vision_requests (session_id, created_at)
  where session_id is not null and acknowledged_at is null;
