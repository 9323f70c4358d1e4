# Functions of the integration scripts: curl against the running product, the owner's token, checks.
# The caller sets AIZUCHI_WEB_URL, AIZUCHI_MCP_URL, AIZUCHI_OWNER_PASSKEY, AIZUCHI_WORKSPACE_ROOTS.
# shellcheck shell=bash
set -euo pipefail

API="${AIZUCHI_WEB_URL:?}/api"
CHECKS=0

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# check WORDS... -- COMMAND...: runs the command, then counts and prints the check.
check() {
  local words=$1
  shift
  "$@" || fail "$words"
  CHECKS=$((CHECKS + 1))
  echo "  ok $CHECKS: $words"
}

# json EXPRESSION: reads JSON on stdin, prints the value of a JavaScript expression over `it`.
json() {
  node -e 'let s = ""; process.stdin.on("data", (d) => (s += d)).on("end", () => {
    const it = JSON.parse(s); const v = eval(process.argv[1]); console.log(typeof v === "string" ? v : JSON.stringify(v)); })' "$1"
}

# call METHOD PATH [BODY]: calls REST as the owner; prints the body of the answer, writes the status to $STATUS_FILE.
STATUS_FILE=$(mktemp)
HEADER_FILE=$(mktemp)
MCP_HEADER_FILE=$(mktemp)
trap 'rm -f "$STATUS_FILE" "$HEADER_FILE" "$MCP_HEADER_FILE"' EXIT
call() {
  local method=$1 path=$2 body=${3-}
  local args=(-sS -X "$method" -H "@$HEADER_FILE" -w '%{stderr}%{http_code}')
  if [ -n "$body" ]; then args+=(-H 'content-type: application/json' --data-binary "$body"); fi
  curl "${args[@]}" "$API$path" 2>"$STATUS_FILE"
}

status() { cat "$STATUS_FILE"; }

# sign_in: writes the token into a header file, so that it is in no process list.
sign_in() {
  local answer
  answer=$(curl -sS "$API/auth/login" -H 'content-type: application/json' --data-binary @- <<<"{\"agentId\":\"owner\",\"passkey\":\"${AIZUCHI_OWNER_PASSKEY:?}\"}")
  printf 'Authorization: Bearer %s\n' "$(json 'it.token' <<<"$answer")" >"$HEADER_FILE"
}

# tool NAME ARGUMENTS: calls one MCP tool with the last `bearer` and prints its structured result.
tool() {
  curl -sS "${AIZUCHI_MCP_URL:?}" -H "@$MCP_HEADER_FILE" -H 'content-type: application/json' \
    -H 'accept: application/json, text/event-stream' --data-binary @- <<<"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"$1\",\"arguments\":$2}}" |
    sed -n 's/^data: //p' | json it.result.structuredContent
}

# bearer TOKEN: sets the token of later `tool` calls; without TOKEN they have no bearer.
bearer() {
  : >"$MCP_HEADER_FILE"
  if [ -n "${1-}" ]; then printf 'Authorization: Bearer %s\n' "$1" >"$MCP_HEADER_FILE"; fi
}

# wait_until SECONDS WORDS COMMAND...: repeats the command every 50 ms.
wait_until() {
  local seconds=$1 words=$2
  shift 2
  local deadline=$(($(date +%s%3N) + seconds * 1000))
  until "$@"; do
    [ "$(date +%s%3N)" -lt "$deadline" ] || fail "not within $seconds s: $words"
    sleep 0.05
  done
}

# make_project ID NAME FOLDER, make_agent ID NAME PROJECT [EXTRA JSON]: create the seed data of a scenario; may be
# repeated.
make_project() {
  mkdir -p "$(dirname "$3")"
  call POST /projects "{\"id\":\"$1\",\"name\":\"$2\",\"workingDirectory\":\"$3\"}" >/dev/null
  [[ $(status) == 201 || $(status) == 409 ]] || fail "project $1: $(status)"
}

make_agent() {
  call POST /agents "{\"id\":\"$1\",\"name\":\"$2\",\"type\":\"ai\"${4:+,$4}}" >/dev/null
  [[ $(status) == 201 || $(status) == 409 ]] || fail "agent $1: $(status)"
  call PUT "/projects/$3/agents/$1" >/dev/null
  [[ $(status) == 200 ]] || fail "agent $1 in $3: $(status)"
}
