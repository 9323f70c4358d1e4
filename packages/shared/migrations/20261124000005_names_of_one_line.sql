-- Names, titles, roles and labels of older versions may hold line breaks and characters that are not seen or that turn
-- the text around them. New ones are refused; here a control or line character becomes a space, the others go. What is
-- left empty is called by its id. Names that look alike stay: only people can say who keeps his.
-- Kept, as at the way in: U+200C and U+200D (scripts and emoji need them) and what chooses between forms of a letter.
create function pg_temp.one_line(line text) returns text language sql immutable as $$
  select btrim(regexp_replace(
    regexp_replace(line, '[\u0001-\u001F\u007F-\u009F\u2028\u2029]+', ' ', 'g'),
    '[\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\u2800\u3164\uFEFF\uFFA0\uFFF9-\uFFFC]',
    '', 'g'))
$$;

update agents set name = coalesce(nullif(pg_temp.one_line(name), ''), id) where name <> pg_temp.one_line(name);
update agents set role = nullif(pg_temp.one_line(role), '') where role <> pg_temp.one_line(role);
-- Labels choose a Coordinator: order and number mean nothing.
update agents
  set labels = array(select distinct pg_temp.one_line(label) from unnest(labels) label where pg_temp.one_line(label) <> '')
  where labels <> array(select pg_temp.one_line(label) from unnest(labels) with ordinality as l (label, n) order by n);
update projects set name = coalesce(nullif(pg_temp.one_line(name), ''), id) where name <> pg_temp.one_line(name);
update tasks set title = coalesce(nullif(pg_temp.one_line(title), ''), id) where title <> pg_temp.one_line(title);
update access_tokens set name = coalesce(nullif(pg_temp.one_line(name), ''), id) where name <> pg_temp.one_line(name);
