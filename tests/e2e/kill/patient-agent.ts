/**
 * An agent as somebody else may write one (provider `command`): signs in with its ticket, takes what is pending,
 * and then waits until the test lets it answer. Its control folder is its only argument: `taken-N.json` says what it
 * was given, `answer` lets it go on.
 */
import { existsSync, readdirSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ToolClient } from '@aizuchi/shared/mcp-client/tool-client';

const folder = process.argv[2] ?? '.';
const client = new ToolClient({
  url: process.env.AIZUCHI_MCP_URL ?? '',
  token: process.env.AIZUCHI_PASSKEY ?? '',
  name: 'patient-agent',
  version: '1',
});

const signedIn = await client.callUntilAnswered('authenticate', {});
if (!signedIn.success) process.exit(3);
for (;;) {
  const next = await client.callUntilAnswered('get_next_action', { hold_seconds: 25 }, { timeoutMs: 40_000 });
  if (next.action === 'exit' || next.action === 'logout') break;
  if (next.action !== 'get_pending_messages') continue;
  const batch = await client.callUntilAnswered('get_pending_messages', {});
  if (batch.source === null) continue;
  const number = readdirSync(folder).filter((name) => name.startsWith('taken-')).length + 1;
  const given = batch.pending_messages.map(({ id, content, redelivered }) => ({ id, content, redelivered }));
  writeFileSync(join(folder, `taken-${number}.json`), JSON.stringify({ pid: process.pid, given }));
  await letGo();
  const ids = given.map(({ id }) => id).join(' ');
  await client.callUntilAnswered('respond_chat', {
    content: `answer to ${ids}`,
    idempotency_key: `${given.length}:${given.at(0)?.id}:${given.at(-1)?.id}`,
  });
}
await client.callUntilAnswered('logout', {});
process.exit(0);

async function letGo(): Promise<void> {
  const file = join(folder, 'answer');
  if (existsSync(file)) return;
  await new Promise<void>((resolve) => {
    const watcher = watch(folder, () => {
      if (!existsSync(file)) return;
      watcher.close();
      resolve();
    });
    // Between the first look and the watcher it may have come.
    if (existsSync(file)) {
      watcher.close();
      resolve();
    }
  });
}
