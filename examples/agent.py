#!/usr/bin/env python3
"""An agent of provider `command` that needs nothing but Python: docs/providers.md explains it. It waits for messages
until it is told to leave; with --per-work it answers what waits and ends."""
import http.client, json, os, sys, time, urllib.request

URL, TICKET, PER_WORK = os.environ["AIZUCHI_MCP_URL"], os.environ["AIZUCHI_PASSKEY"], "--per-work" in sys.argv
HEADERS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}

def post(method, **message):
    body = json.dumps({"jsonrpc": "2.0", "method": method, **message}).encode()
    while True:
        try:
            with urllib.request.urlopen(urllib.request.Request(URL, body, HEADERS), timeout=60) as reply:
                data = [line[6:] for line in reply.read().decode().split("\n") if line.startswith("data: ")]
            return json.loads(data[-1]) if data else None
        except (OSError, http.client.HTTPException) as error:  # The server restarts: any call may be repeated.
            if getattr(error, "code", 503) < 500: raise
            time.sleep(1)

def call(tool, **arguments):
    result = post("tools/call", id=1, params={"name": tool, "arguments": arguments})["result"]
    return sys.exit(result["content"][0]["text"]) if result.get("isError") else result["structuredContent"]

client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "agent.py", "version": "1"}}
HEADERS["MCP-Protocol-Version"] = post("initialize", id=0, params=client)["result"]["protocolVersion"]
post("notifications/initialized")
me = {"agent_id": os.environ["AIZUCHI_AGENT_ID"], "project_id": os.environ["AIZUCHI_PROJECT_ID"]}
session = call("authenticate", passkey=TICKET, **me)
if not session["success"]: sys.exit(session["error"])
token = {"session_token": session["session_token"]}
while (action := call("get_next_action", hold_seconds=0 if PER_WORK else 25, **token)["action"]) not in ("exit", "logout"):
    if action == "wait_for_messages" and PER_WORK: break
    if action == "work_on_task":  # In progress and assigned to this agent: an agent of your own does it here.
        task = call("get_my_task", **token)["task"]
        call("save_context", text=f"Read: {task['title']}", **token)
        call("report_completed", result="done", summary=f"You asked for: {task['title']}", **token)
    if action != "get_pending_messages": continue
    given = call("get_pending_messages", **token)
    said = "\n".join(message["content"] for message in given["pending_messages"])
    if said: call("respond_chat", batch_id=given["batch_id"], content=f"You wrote: {said}", **token)
call("logout", **token)
