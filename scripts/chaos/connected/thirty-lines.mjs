// An agent by hand: signs in with its passkey, answers every message, leaves when it is told to.
import { appendFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const { AIZUCHI_MCP_URL, AIZUCHI_AGENT_ID, AIZUCHI_PASSKEY, AIZUCHI_PROJECT_ID, GIVEN_FILE } = process.env;
// A line that is cut in the middle of an answer fails at once; the client alone would wait for its timeout.
const whole = async (url, init) => {
  const answer = await fetch(url, init);
  return new Response((await answer.text()) || null, answer);
};
let client, session_token;

async function call(name, args = {}) {
  for (;;)
    try {
      const fresh = client ?? new Client({ name: 'by-hand', version: '1' });
      if (!client)
        await fresh.connect(new StreamableHTTPClientTransport(new URL(AIZUCHI_MCP_URL), { fetch: whole }));
      client = fresh;
      return (await client.callTool({ name, arguments: { session_token, ...args } })).structuredContent;
    } catch {
      await pause(100); // cut off: the same call again, every one of them bears it
    }
}

const me = { agent_id: AIZUCHI_AGENT_ID, passkey: AIZUCHI_PASSKEY, project_id: AIZUCHI_PROJECT_ID };
session_token = (await call('authenticate', { ...me, replace: true })).session_token;
for (
  let next;
  !['exit', 'logout'].includes(next?.action);
  next = await call('get_next_action', { hold_seconds: 20 })
) {
  if (next?.action !== 'get_pending_messages') continue;
  const { pending_messages: messages } = await call('get_pending_messages');
  if (messages.length === 0) continue;
  for (const { id, repeat, redelivered } of messages)
    appendFileSync(GIVEN_FILE, `${JSON.stringify({ id, marked: repeat ?? redelivered ?? false })}\n`, {
      flush: true,
    });
  await call('respond_chat', { content: `Read: ${messages.length}`, idempotency_key: messages.at(-1).id });
}
