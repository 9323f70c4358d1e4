#!/bin/sh
# Runs in the container of the database when its volume is new: the services' role owns its database and is no
# superuser. The superuser gets no password, so that it cannot be reached over the network.
set -eu
psql -v ON_ERROR_STOP=1 --no-psqlrc --quiet --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
\getenv password POSTGRES_PASSWORD
set log_min_error_statement = panic;
create role aizuchi login password :'password';
alter database aizuchi owner to aizuchi;
-- By it a start sees that the database was restored; files outside the data folder stay closed to the role.
grant execute on function pg_stat_file(text) to aizuchi;
alter role current_user password null;
-- Only a superuser may create it. An image without it is fine.
select 'create extension vector' from pg_available_extensions where name = 'vector' \gexec
SQL
