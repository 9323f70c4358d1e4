#!/usr/bin/env bash
# Runs docker-compose.yml, also where no registry of images can be reached: base images from debootstrap, a start from
# nothing, the chat script from outside, the rights of the database role, what an agent leaves behind, each container
# and the product's processes killed with -9, stop.
# Not part of `npm test`: it needs root, a running dockerd (DOCKER_HOST), `docker compose`, debootstrap, the ports
# 4100 and 4101, and some minutes. Leaves two images behind (aizuchi-test-*), nothing else.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
root=$PWD
node=$root/node_modules/node/bin/node
work=$(mktemp -d)
# A copy without the build output of this checkout; its .env belongs to the test.
git archive HEAD | tar -x --one-top-level="$work/source"
cd "$work/source"

clean_up() {
  docker compose down -v --remove-orphans >/dev/null 2>&1 || true
  [ ! -L /workspaces ] || rm /workspaces
  rm -rf "$work"
}
trap clean_up EXIT

# base NAME SUITE PACKAGES PREPARE: builds an image of a small Debian if it does not exist.
base() {
  if docker image inspect "$1" >/dev/null 2>&1; then return; fi
  debootstrap --variant=minbase --include="$3" "$2" "$work/root" >/dev/null
  "$4" "$work/root"
  rm -rf "$work"/root/var/cache/apt/archives/*.deb
  tar -C "$work/root" -c . | docker import --change "ENV $5" - "$1" >/dev/null
  rm -rf "$work/root"
}
with_node() {
  cp -L "$node" "$1/usr/local/bin/node"
  install -d "$1/usr/local/lib/node_modules"
  cp -a "$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")" "$1/usr/local/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$1/usr/local/bin/npm"
  ln -s ../lib/node_modules/npm/bin/npx-cli.js "$1/usr/local/bin/npx"
  # Settings with which npm on this host reaches its registry, without credentials.
  if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then
    cp -L "$NODE_EXTRA_CA_CERTS" "$1/etc/extra-ca.pem"
    install -d "$1/usr/local/etc"
    echo "cafile=/etc/extra-ca.pem" | tee "$1/etc/npmrc" >"$1/usr/local/etc/npmrc"
  fi
}
with_entry() { cp tests/docker/postgres-entry.sh "$1/entry.sh"; }

path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
base aizuchi-test-node bookworm ca-certificates,libstdc++6,libatomic1 with_node \
  "PATH=$path NODE_EXTRA_CA_CERTS=${NODE_EXTRA_CA_CERTS:+/etc/extra-ca.pem}"
base aizuchi-test-postgres trixie postgresql-17,postgresql-17-pgvector with_entry "PATH=/usr/lib/postgresql/17/bin:$path"

scripts/docker/make-env.sh
cat >>.env <<EOF
COMPOSE_PROJECT_NAME=aizuchi-test
AIZUCHI_IMAGE=aizuchi-test
BASE_IMAGE=aizuchi-test-node
POSTGRES_IMAGE=aizuchi-test-postgres
COORDINATOR_ALLOWED_COMMANDS=/bin/sh
EOF
cat >docker-compose.override.yml <<'EOF'
services:
  postgres:
    entrypoint: [/entry.sh]
EOF
docker compose up -d --build --wait
# The chat script reads the transcript at the path that the product reports.
ln -s "$(docker volume inspect -f '{{.Mountpoint}}' aizuchi-test_workspaces)" /workspaces

set -a && . ./.env && set +a
export AIZUCHI_WEB_URL=http://localhost:4100 AIZUCHI_MCP_URL=http://localhost:4101/mcp AIZUCHI_WORKSPACE_ROOTS=/workspaces
chat() { bash "$root/scripts/tests/test_chat_session.sh"; }
chat

. "$root/scripts/tests/support.sh"
trap 'rm -f "$STATUS_FILE" "$HEADER_FILE"; clean_up' EXIT
sign_in
container() { docker inspect -f "$2" "aizuchi-test-$1-1"; }
is_back() { [ "$(container "$1" '{{.State.Pid}}')" != "$2" ] && [ "$(container "$1" '{{.State.Health.Status}}')" = healthy ]; }
CHAT=/projects/prj_uc014/agents/agt_uc014_chat/chat
unanswered() { call GET "$CHAT/messages?limit=200" | json "it.messages.filter((m) => m.sender === 'user' && m.state !== 'answered').length"; }
all_answered() { [ "$(unanswered)" = 0 ]; }

# As docs/operations.md says; there is no other way to the superuser.
as_superuser() { docker compose exec -T postgres psql -U postgres -At -c "$1" aizuchi; }
role="select rolsuper or rolcreatedb or rolcreaterole or rolreplication or rolbypassrls from pg_roles where rolname = 'aizuchi'"
users="select string_agg(distinct usename, ',') from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()"
check "the services' role is nothing but an owner" test "$(as_superuser "$role")" = f
check "the services are signed in as that role" test "$(as_superuser "$users")" = aizuchi
no_password="select rolpassword is null from pg_authid where rolname = 'postgres'"
check "the superuser has no password" test "$(as_superuser "$no_password")" = t

check "runs are held by groups" grep -q '"heldBy":"group"' <<<"$(docker compose logs coordinator)"
make_project prj_leaves leaves /workspaces/leaves
leaving='env -i setsid sleep 3601 & (env -i setsid sleep 3602 &); exec sleep 3603'
make_agent agt_leaves leaves prj_leaves \
  "\"provider\":\"command\",\"command\":{\"file\":\"/bin/sh\",\"args\":[\"-c\",\"$leaving\"]}"
sleeping() {
  docker compose exec -T coordinator sh -c \
    'for p in /proc/[0-9]*; do tr "\0" " " <$p/cmdline; echo; done 2>/dev/null | grep -c "^sleep 360[123] "' || true
}
sleep_of() { [ "$(sleeping)" = "$1" ]; }
call POST /projects/prj_leaves/agents/agt_leaves/chat/messages '{"content":"start"}' >/dev/null
wait_until 60 "an agent has left processes" sleep_of 3
run=$(call GET /projects/prj_leaves/runs | json "it.runs.find((r) => r.state !== 'exited').id")
call POST "/runs/$run/stop" '{}' >/dev/null
wait_until 30 "nothing of its run is left" sleep_of 0
check "what an agent has detached ends with its run" sleep_of 0
call DELETE /agents/agt_leaves >/dev/null

call POST "$CHAT/start" '{"viewerId":"docker"}' >/dev/null
for service in coordinator mcp-server rest-api memory postgres; do
  pid=$(container "$service" '{{.State.Pid}}')
  call POST "$CHAT/messages" "{\"content\":\"タスクの進捗を教えてください: $service\"}" >/dev/null
  kill -KILL "$pid"
  wait_until 60 "$service is back" is_back "$service" "$pid"
  wait_until 60 "everything is answered" all_answered
  check "$service killed: back by itself, every message answered" all_answered
done
for service in coordinator mcp-server rest-api memory; do
  docker compose exec -T "$service" sh -c 'for p in /proc/[0-9]*; do
    if tr "\0" " " <$p/cmdline | grep -q "[d]ist/\(rest-api\|mcp-server\|coordinator\|memory\).js"; then kill -KILL "${p#/proc/}"; fi; done' 2>/dev/null
  wait_until 30 "rest-api serves" curl -fsS -o /dev/null "$AIZUCHI_WEB_URL/readyz"
  call POST "$CHAT/messages" "{\"content\":\"タスクの進捗を教えてください: $service again\"}" >/dev/null
  wait_until 60 "everything is answered" all_answered
  check "the $service process killed: its supervisor brought it back" all_answered
done

call POST "$CHAT/end" '{"force":true}' >/dev/null
is_over() { [ "$(call GET /projects/prj_uc014/agent-sessions | json "it.agentSessions.agt_uc014_chat.chat")" = 0 ]; }
wait_until 40 "the session is over" is_over
chat
docker compose stop
for service in coordinator mcp-server rest-api memory; do
  check "$service stopped cleanly" test "$(container "$service" '{{.State.ExitCode}}')" = 0
done
echo "containers: $CHECKS checks"
