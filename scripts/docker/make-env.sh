#!/bin/sh
# Writes .env for docker-compose.yml with new secrets, readable only by you. Never overwrites an existing one: the
# database keeps the password with which it was created.
set -eu
cd "$(dirname "$0")/../.."

if [ -e .env ]; then
  echo ".env is there already; nothing was changed." >&2
  exit 1
fi
# Letters and digits only: the password is part of a URL.
secret() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }

umask 077
cat >.env <<EOF
POSTGRES_PASSWORD=$(secret)
AIZUCHI_OWNER_PASSKEY=$(secret)
AIZUCHI_INTERNAL_TOKEN=$(secret)
MCP_COORDINATOR_TOKEN=$(secret)
AIZUCHI_LOCALE=ja
# The address under which people reach the page. What is published and how: docs/operations.md.
AIZUCHI_PUBLIC_URL=http://localhost:4100
AIZUCHI_ALLOWED_HOSTS=localhost:4100,127.0.0.1:4100
EOF
echo "Wrote .env. Sign in as \"owner\" with the passkey AIZUCHI_OWNER_PASSKEY that stands in it."
