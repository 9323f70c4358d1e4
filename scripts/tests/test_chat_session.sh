#!/usr/bin/env bash
# UC014 on the running product, with curl only: the panel is opened, the agent warms up, a message is answered within
# five seconds, the transcript is that of the seed, the chat is closed. Part of `npm test`.
cd "$(dirname "${BASH_SOURCE[0]}")"
. ./support.sh

PROJECT=prj_uc014
AGENT=agt_uc014_chat
FOLDER="${AIZUCHI_WORKSPACE_ROOTS%%:*}/uc014"
CHAT="/projects/$PROJECT/agents/$AGENT/chat"
VIEWER=uc014-panel

sign_in
make_project "$PROJECT" "UC014 Chat Session Test" "$FOLDER"
make_agent "$AGENT" session-responder "$PROJECT"

session() { call GET "/projects/$PROJECT/agent-sessions" | json "it.agentSessions['$AGENT'].$1"; }
purpose() { call GET "/projects/$PROJECT/pending-purposes?includeRecent=60" | json "it.pendingPurposes.some((p) => p.agentId === '$AGENT' && p.purpose === 'chat')"; }
is_ready() { [ "$(session chat)" -gt 0 ]; }
newest() { call GET "$CHAT/messages?limit=1" | json "it.messages[0].$1"; }
answered() { [ "$(newest sender)" = agent ]; }

opened=$(date +%s%3N)
started=$(call POST "$CHAT/start" "{\"viewerId\":\"$VIEWER\"}" | json it.status)
check "opening the chat starts the agent ($started)" test "$started" = started
check "a pending purpose was made" test "$(purpose)" = true
wait_until 60 "agentSessions.chat > 0" is_ready
check "the agent waits; the send button may be enabled ($(($(date +%s%3N) - opened)) ms after opening)" is_ready
check "its status is ready" test "$(session chatStatus)" = ready

message=$(call POST "$CHAT/messages" '{"content":"タスクの進捗を教えてください"}' | json it.id)
check "the message is stored ($(status))" test "$(status)" = 201
wait_until 60 "an answer" answered
# By the clock of the server: this script starts several programs for each question.
took=$(call GET "$CHAT/messages?limit=2" | json "Date.parse(it.messages.at(-1).createdAt) - Date.parse(it.messages.find((m) => m.id === '$message').createdAt)")
check "the answer came after $took ms (at most 5000)" test "$took" -gt 0 -a "$took" -le 5000
echo "  answer: $(newest content | head -1)"
check "the message is answered" test "$(call GET "$CHAT/messages?limit=2" | json "it.messages.find((m) => m.id === '$message').state")" = answered

FILE="$FOLDER/.ai-pm/agents/$AGENT/chat.jsonl"
lines=$(node -e '
  const lines = require("fs").readFileSync(process.argv[1], "utf8").trimEnd().split("\n").map((l) => JSON.parse(l));
  console.log(JSON.stringify(lines.slice(-3).map((l) => [l.senderId, l.visible, l.sender])));' "$FILE")
check "chat.jsonl is the seed's transcript" test "$lines" = "[[\"system\",false,\"system\"],[\"user\",true,\"user\"],[\"$AGENT\",true,\"agent\"]]"
check "the user's line holds the message" grep -q '"content":"タスクの進捗を教えてください"' "$FILE"

ended=$(call POST "$CHAT/end" "{\"viewerId\":\"$VIEWER\",\"cause\":\"closed\"}" | json it.ended)
check "closing ends the session" test "$ended" = 1
is_gone() { [ "$(session chat)" = 0 ]; }
wait_until 60 "no session" is_gone
check "closing again changes nothing" test "$(call POST "$CHAT/end" "{\"viewerId\":\"$VIEWER\"}" | json it.ended)" = 0
echo "UC014: $CHECKS checks, answer in $took ms"
