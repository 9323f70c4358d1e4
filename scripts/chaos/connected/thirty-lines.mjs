// An agent to connect by hand: signs in with its passkey, answers every message, ends when it is told to exit.
import { appendFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const { AIZUCHI_MCP_URL: url, AGENT_ID: agent_id, PASSKEY: passkey, PROJECT_ID: project_id } = process.env;
// An answer that is cut in the middle fails at once; the client alone would wait for its timeout.
const whole = async (...request) => {
  const answer = await fetch(...request);
  return new Response((await answer.text()) || null, answer);
};
// After a cut the same call is made again. Every call here may be repeated.
const again = (action) => action().catch(() => pause(100).then(() => again(action)));
const client = await again(async () => {
  const fresh = new Client({ name: 'by-hand', version: '1' });
  await fresh.connect(new StreamableHTTPClientTransport(new URL(url), { fetch: whole }));
  return fresh;
});
let session_token;
const call = async (name, args) =>
  (await again(() => client.callTool({ name, arguments: { session_token, ...args } }))).structuredContent;

({ session_token } = await call('authenticate', { agent_id, passkey, project_id, replace: true }));
for (;;) {
  const { action } = await call('get_next_action', { hold_seconds: 20 });
  if (action === 'exit' || action === 'logout') break;
  if (action !== 'get_pending_messages') continue;
  const { pending_messages: messages } = await call('get_pending_messages');
  if (messages.length === 0) continue;
  const given = messages.map(({ id, ...m }) => JSON.stringify({ id, marked: m.repeat ?? m.redelivered }));
  appendFileSync('given.jsonl', `${given.join('\n')}\n`, { flush: true });
  await call('respond_chat', { content: `Read: ${messages.length}`, idempotency_key: messages.at(-1).id });
}
