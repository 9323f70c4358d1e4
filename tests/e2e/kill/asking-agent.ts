/**
 * An agent as somebody else may write one (provider `command`): asks the person one question about every message,
 * again and again until it is answered, and says what it heard. It remembers nothing: whoever takes its place asks
 * the same.
 */
import { ToolClient } from '@aizuchi/shared/mcp-client/tool-client';

const client = new ToolClient({
  url: process.env.AIZUCHI_MCP_URL ?? '',
  token: process.env.AIZUCHI_PASSKEY ?? '',
  name: 'asking-agent',
  version: '1',
});
const questions = [
  {
    question: 'Which library?',
    header: 'Library',
    options: [{ label: 'React Query' }, { label: 'SWR' }],
  },
];
const patience = { timeoutMs: 40_000 };

const signedIn = await client.callUntilAnswered('authenticate', {});
if (!signedIn.success) process.exit(3);
for (;;) {
  const next = await client.callUntilAnswered('get_next_action', { hold_seconds: 25 }, patience);
  if (next.action === 'exit' || next.action === 'logout') break;
  if (next.action !== 'get_pending_messages') continue;
  if ((await client.callUntilAnswered('get_pending_messages', {})).source === null) continue;
  let asked = await client.callUntilAnswered('ask_user_question', { questions }, patience);
  while (asked.status === 'pending')
    asked = await client.callUntilAnswered('ask_user_question', { questions }, patience);
  await client.callUntilAnswered('respond_chat', { content: JSON.stringify([asked.status, asked.answers]) });
}
await client.callUntilAnswered('logout', {});
process.exit(0);
