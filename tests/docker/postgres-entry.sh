#!/bin/sh
# Replaces the entry point of the pgvector image: the same variables, with a Debian Postgres. As in that image, a
# client inside the container needs no password, every other client does.
set -eu
data=/var/lib/postgresql/data
as_postgres() { setpriv --reuid postgres --regid postgres --clear-groups "$@"; }

install -d -o postgres -g postgres -m 0700 "$data"
install -d -o postgres -g postgres /var/run/postgresql
if [ ! -s "$data/PG_VERSION" ]; then
  install -o postgres -m 0600 /dev/null /tmp/password
  echo "$POSTGRES_PASSWORD" >/tmp/password
  # shellcheck disable=SC2086 # several arguments
  as_postgres initdb -D "$data" -U "$POSTGRES_USER" --pwfile=/tmp/password --auth=trust $POSTGRES_INITDB_ARGS
  rm /tmp/password
  echo "host all all all scram-sha-256" >>"$data/pg_hba.conf"
  echo "create database $POSTGRES_DB" | as_postgres postgres --single -D "$data" postgres
  # As in the image: its scripts run while no other client can connect.
  as_postgres pg_ctl -D "$data" -w -o "-c listen_addresses=''" start
  for script in /docker-entrypoint-initdb.d/*.sh; do
    as_postgres "$script"
  done
  as_postgres pg_ctl -D "$data" -w stop
fi
exec setpriv --reuid postgres --regid postgres --clear-groups \
  postgres -D "$data" -c listen_addresses='*'
