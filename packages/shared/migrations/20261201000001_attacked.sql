-- Who has made an invitation: it is worth nothing when that one is no owner any more. Null: the link of the first start.
alter table sign_in_codes add column invited_by text references agents (id);
create index sign_in_codes_invited_by_idx on sign_in_codes (invited_by) where used_at is null and invited_by is not null;
