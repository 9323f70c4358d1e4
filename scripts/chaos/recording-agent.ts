/**
 * An agent as somebody else may write one (provider `command`): answers what it is given at once, and writes down each
 * message that it was given, so that the outside can see whether one came twice without saying so.
 * Its control folder is its only argument.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { ToolClient } from '@aizuchi/shared/mcp-client/tool-client';

const record = join(process.argv[2] ?? '.', 'given.jsonl');
const client = new ToolClient({
  url: process.env.AIZUCHI_MCP_URL ?? '',
  token: process.env.AIZUCHI_PASSKEY ?? '',
  name: 'recording-agent',
  version: '1',
});

const signedIn = await client.callUntilAnswered('authenticate', {});
if (!signedIn.success) process.exit(3);
for (;;) {
  const next = await client.callUntilAnswered('get_next_action', { hold_seconds: 25 }, { timeoutMs: 40_000 });
  if (next.action === 'exit' || next.action === 'logout') break;
  if (next.action !== 'get_pending_messages') continue;
  const { pending_messages: given, repeat } = await client.callUntilAnswered('get_pending_messages', {});
  if (given.length === 0) continue;
  const lines = given.map(({ id, redelivered }) =>
    JSON.stringify({ id, marked: redelivered ?? repeat ?? false }),
  );
  appendFileSync(record, `${lines.join('\n')}\n`);
  await client.callUntilAnswered('respond_chat', {
    content: `answer to ${given.map(({ id }) => id).join(' ')}`,
    idempotency_key: `${given.length}:${given.at(0)?.id}:${given.at(-1)?.id}`,
  });
}
await client.callUntilAnswered('logout', {});
process.exit(0);
