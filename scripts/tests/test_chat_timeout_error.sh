#!/usr/bin/env bash
# product: AIZUCHI_SERVICES=rest-api,mcp-server PENDING_PURPOSE_TTL_SECONDS=40
# UC010 (seed 001) with curl only and without a Coordinator: this script calls get_agent_action itself. An agent that
# does not start leads to a system error in the chat and in its transcript, and its pending purpose is removed.
cd "$(dirname "${BASH_SOURCE[0]}")"
. ./support.sh

PROJECT=prj_uc010
AGENT=agt_uc010_timeout
FOLDER="${AIZUCHI_WORKSPACE_ROOTS%%:*}/uc010"
CHAT="/projects/$PROJECT/agents/$AGENT/chat"
TTL=40

sign_in
make_project "$PROJECT" "UC010 Timeout Test" "$FOLDER"
make_agent "$AGENT" timeout-test-agent "$PROJECT" '"credential":false'

as_coordinator() { bearer "$(cat "${AIZUCHI_HOME:?}/secrets/coordinator-token")"; }
ask() { tool get_agent_action "{\"agent_id\":\"$AGENT\",\"project_id\":\"$PROJECT\"}"; }
newest() { call GET "$CHAT/messages?limit=1" | json "it.messages[0].$1"; }
purposes() { call GET "/projects/$PROJECT/pending-purposes" | json "it.pendingPurposes.filter((p) => p.agentId === '$AGENT').length"; }

message=$(call POST "$CHAT/messages" '{"content":"進捗を教えて"}' | json it.id)
check "writing to a sleeping agent makes a pending purpose" test "$(purposes)" = 1

as_coordinator
check "get_agent_action answers start" test "$(ask | json it.action)" = start
bearer
refused=$(tool authenticate "{\"agent_id\":\"$AGENT\",\"passkey\":\"wrong-passkey\",\"project_id\":\"$PROJECT\"}")
check "a wrong passkey is refused" test "$(json it.success <<<"$refused")" = false
check "the refused agent is told to exit" test "$(json it.action <<<"$refused")" = exit
as_coordinator
check "meanwhile get_agent_action answers hold: it was started" test "$(ask | json it.reason)" = spawn_in_progress
check "the pending purpose stays until its TTL" test "$(purposes)" = 1

sent=$(date +%s)
timed_out() { [ "$(newest sender)" = system ]; }
wait_until $((TTL + 6)) "the system error" timed_out
check "after the TTL ($(($(date +%s) - sent)) s) the chat holds a system error" timed_out
echo "  error: $(newest content)"
check "it says タイムアウト" grep -q タイムアウト <<<"$(newest content)"
check "the pending purpose is gone" test "$(purposes)" = 0
check "get_agent_action answers hold, no_pending_work" test "$(ask | json it.reason)" = no_pending_work
check "the message has failed and can be sent again" test "$(call GET "$CHAT/messages?limit=5" | json "it.messages.find((m) => m.id === '$message').state")" = failed

FILE="$FOLDER/.ai-pm/agents/$AGENT/chat.jsonl"
check "the transcript holds it as a system line" grep -q '"id":"sys_[^"]*".*"sender":"system".*タイムアウト' "$FILE"
echo "UC010: $CHECKS checks"
