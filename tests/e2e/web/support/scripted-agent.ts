/**
 * An agent whose answers a test decides (provider `command`). What it says stands in its control folder, its only
 * argument: `answer.md` is the next answer, `pieces.json` one that grows piece by piece, each when `piece-N` is there.
 * Without either it echoes. While `ask.json` is there it asks its questions first, and says what it heard. `hold` makes it wait before it answers, until `hold` is gone or a person stops it.
 */
import { existsSync, readFileSync, rmSync, watch } from 'node:fs';
import { join } from 'node:path';
import type { QuestionItem } from '@aizuchi/shared/contract/question';
import { newId } from '@aizuchi/shared/ids';
import { ToolClient } from '@aizuchi/shared/mcp-client/tool-client';

const folder = process.argv[2] ?? '.';
const client = new ToolClient({
  url: process.env.AIZUCHI_MCP_URL ?? '',
  token: process.env.AIZUCHI_PASSKEY ?? '',
  name: 'scripted-agent',
  version: '1',
});

await until('sign-in-hold', false);
const signedIn = await client.callUntilAnswered('authenticate', {});
if (!signedIn.success) process.exit(3);
for (;;) {
  const next = await client.callUntilAnswered('get_next_action', { hold_seconds: 25 }, { timeoutMs: 40_000 });
  if (next.action === 'exit' || next.action === 'logout') break;
  if (next.action !== 'get_pending_messages') continue;
  const batch = await client.callUntilAnswered('get_pending_messages', {});
  if (batch.source === null) continue;
  const said = batch.pending_messages.map(({ content }) => content).join(' / ');
  const key = batch.pending_messages.map(({ id }) => id).join(':');
  if (existsSync(join(folder, 'ask.json'))) await answer(key, await ask());
  else if (existsSync(join(folder, 'pieces.json'))) await stream(key);
  else if (existsSync(join(folder, 'hold'))) await answer(key, (await heldOrStopped()) ?? `echo: ${said}`);
  else await answer(key, take('answer.md') ?? `echo: ${said}`);
}
await client.callUntilAnswered('logout', {});
process.exit(0);

async function answer(key: string, content: string, messageId?: string): Promise<void> {
  await client.callUntilAnswered('respond_chat', {
    content,
    idempotency_key: key,
    ...(messageId !== undefined && { message_id: messageId }),
  });
}

async function stream(key: string): Promise<void> {
  const pieces = JSON.parse(take('pieces.json') ?? '[]') as string[];
  const messageId = newId('msg');
  let offset = 0;
  for (const [index, text] of pieces.entries()) {
    await until(`piece-${index}`, true);
    await client.call('report_delta', { message_id: messageId, text, offset });
    offset += text.length;
  }
  await until('end', true);
  await answer(key, pieces.join(''), messageId);
}

/** The card is called for until it is over; asked again after a restart, it is the same one. */
async function ask(): Promise<string> {
  const questions = JSON.parse(readFileSync(join(folder, 'ask.json'), 'utf8')) as QuestionItem[];
  for (;;) {
    const heard = await client.callUntilAnswered(
      'ask_user_question',
      { questions, hold_seconds: 25 },
      { timeoutMs: 40_000 },
    );
    if (heard.status !== 'pending') return `${heard.status} ${JSON.stringify(heard.answers ?? {})}`;
  }
}

/** What it says when a person stopped it; undefined when it was let go. */
async function heldOrStopped(): Promise<string | undefined> {
  while (existsSync(join(folder, 'hold'))) {
    const { control } = await client.callUntilAnswered('heartbeat', { phase: 'thinking', hold_seconds: 1 });
    if (control === 'interrupt') return 'stopped half way';
  }
  return undefined;
}

function take(name: string): string | undefined {
  const file = join(folder, name);
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, 'utf8');
  rmSync(file);
  return text;
}

async function until(name: string, isThere: boolean): Promise<void> {
  const isSo = () => existsSync(join(folder, name)) === isThere;
  if (isSo()) return;
  await new Promise<void>((resolve) => {
    const watcher = watch(folder, () => {
      if (!isSo()) return;
      watcher.close();
      resolve();
    });
    // Between the first look and the watcher it may have changed.
    if (isSo()) {
      watcher.close();
      resolve();
    }
  });
}
