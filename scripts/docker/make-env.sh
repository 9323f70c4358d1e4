#!/bin/sh
# Writes .env for docker-compose.yml with fresh secrets, readable by you only. Never overwrites one: the
# database keeps the password that it was made with.
set -eu
cd "$(dirname "$0")/../.."

if [ -e .env ]; then
  echo ".env is there already; nothing was changed." >&2
  exit 1
fi
# Letters and digits only: the password stands in a URL.
secret() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }

umask 077
cat >.env <<EOF
POSTGRES_PASSWORD=$(secret)
AIZUCHI_OWNER_PASSKEY=$(secret)
AIZUCHI_INTERNAL_TOKEN=$(secret)
MCP_COORDINATOR_TOKEN=$(secret)
AIZUCHI_LOCALE=ja
# Under which people reach the page; what is published and how: docs/operations.md.
AIZUCHI_PUBLIC_URL=http://localhost:4100
AIZUCHI_ALLOWED_HOSTS=localhost:4100,127.0.0.1:4100
EOF
echo "Wrote .env. Sign in as \"owner\" with the passkey AIZUCHI_OWNER_PASSKEY that stands in it."
