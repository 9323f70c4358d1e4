-- In which language the first start wrote its texts. One row, only where no language was set (AIZUCHI_LOCALE): the first
-- sign-in of the owner in another language rewrites once what nobody has touched. A database of an older version has no row.
create table welcome_language (
  only_row boolean primary key default true constraint welcome_language_only_row_check check (only_row),
  written_in text not null constraint welcome_language_written_in_check check (written_in in ('ja', 'en')),
  is_open boolean not null
);
