#!/usr/bin/env bash
# UC015 with curl only: when a chat session ends, and when it does not. Two panels, a message that still waits, a
# reload, a tab that is gone, a forced close. This script acts as the agent: it signs in before a panel is opened, so
# that no agent is started, and gets what an agent's process would get.
cd "$(dirname "${BASH_SOURCE[0]}")"
. ./support.sh

PROJECT=prj_uc015
FOLDER="${AIZUCHI_WORKSPACE_ROOTS%%:*}/uc015"
PASSKEY=uc015-passkey

sign_in
make_project "$PROJECT" "UC015 Chat Session Close" "$FOLDER"
# One agent whose panels are closed, one whose tab disappears, one whose chat is closed by force.
for name in close unload force; do
  make_agent "agt_uc015_$name" "close-$name" "$PROJECT"
  call POST "/agents/agt_uc015_$name/passkey" "{\"passkey\":\"$PASSKEY\"}" >/dev/null
  [[ $(status) == 200 ]] || fail "passkey of agt_uc015_$name: $(status)"
done

chat() { echo "/projects/$PROJECT/agents/agt_uc015_$1/chat"; }
# agent_signs_in NAME: later `tool` calls are made as this agent.
agent_signs_in() {
  bearer
  bearer "$(tool authenticate "{\"agent_id\":\"agt_uc015_$1\",\"passkey\":\"$PASSKEY\",\"project_id\":\"$PROJECT\"}" | json it.session_token)"
}
next_action() { tool get_next_action '{}' | json "[it.action, it.reason].filter(Boolean).join(' ')"; }
says() { [ "$(next_action)" = "$1" ]; }
open_panel() { call POST "$(chat "$1")/start" "{\"viewerId\":\"$2\"}" | json it.status; }
close_panel() { call POST "$(chat "$1")/end" "{\"viewerId\":\"$2\",\"cause\":\"${3:-closed}\"}" | json '`${it.ended} ended, ${it.viewersLeft} left`'; }
sessions() { call GET "/projects/$PROJECT/agent-sessions" | json "it.agentSessions['agt_uc015_$1'].chat"; }
state_of() { call GET "$(chat "$1")/messages?limit=10" | json "it.messages.find((m) => m.id === '$2').state"; }

agent_signs_in unload
open_panel unload tab >/dev/null
left=$(date +%s%3N)
check "a tab that goes without a word ends nothing yet" test "$(close_panel unload tab unload)" = "0 ended, 1 left"
UNLOAD_HEADER=$(cat "$MCP_HEADER_FILE")

agent_signs_in close
check "the agent waits" says wait_for_messages
check "a panel finds the session that is there" test "$(open_panel close first)" = already_active
open_panel close second >/dev/null
check "closing one of two panels ends nothing" test "$(close_panel close first)" = "0 ended, 1 left"
check "the agent goes on waiting" says wait_for_messages
check "a reload: the panel is back before its going counts" test "$(close_panel close second unload) $(open_panel close second)" = "0 ended, 1 left already_active"

message=$(call POST "$(chat close)/messages" '{"content":"閉じる前の質問"}' | json it.id)
check "the last panel is closed while a message waits: the session stays" test "$(close_panel close second)" = "0 ended, 0 left"
check "the agent is given the message, not the end" says get_pending_messages
tool get_pending_messages '{}' >/dev/null
check "while it is being answered the session stays" test "$(sessions close)" = 1
tool respond_chat '{"content":"閉じた後の返事"}' >/dev/null
check "the message is answered" test "$(state_of close "$message")" = answered
check "then the close takes effect: the agent is told to exit" says "exit user_closed_chat"
check "no session is left" test "$(sessions close)" = 0
check "who asks again hears the same, no error" says "exit user_closed_chat"
check "closing again changes nothing" test "$(close_panel close second)" = "0 ended, 0 left"
FILE="$FOLDER/.ai-pm/agents/agt_uc015_close/chat.jsonl"
check "the answer stands in chat.jsonl" grep -q '"sender":"agent","content":"閉じた後の返事"' "$FILE"

agent_signs_in force
open_panel force panel >/dev/null
message=$(call POST "$(chat force)/messages" '{"content":"やっぱりやめます"}' | json it.id)
tool get_pending_messages '{}' >/dev/null
check "forced: the session ends although a message is being answered" test "$(call POST "$(chat force)/end" '{"force":true}' | json it.ended)" = 1
check "its message has failed and can be sent again" test "$(state_of force "$message")" = failed
check "the agent is told to exit" says "exit force_ended"

printf '%s\n' "$UNLOAD_HEADER" >"$MCP_HEADER_FILE"
wait_until 14 "the tab that went counts as closed" says "exit user_closed_chat"
took=$(($(date +%s%3N) - left))
check "a tab that did not come back is a close after its grace ($took ms, at least 10000)" test "$took" -ge 10000
check "no session is left of it" test "$(sessions unload)" = 0
echo "UC015: $CHECKS checks"
