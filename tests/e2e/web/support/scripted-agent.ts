/**
 * An agent whose answers a test decides (provider `command`). Its control folder, its only argument, holds what it
 * says: `answer.md` is the next answer; `pieces.json` is an answer that is streamed piece by piece, each one when
 * `piece-N` exists. Without either it echoes. While `ask.json` exists it first asks its questions and reports the
 * answers. While `hold` exists it waits with its answer, unless a person stops it. `turn.json` is a whole turn, see
 * scripted-turn.ts.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { QuestionItem } from '@aizuchi/shared/contract/question';
import type { ToolClient } from '@aizuchi/shared/mcp-client/tool-client';
import { newId } from '@aizuchi/shared/platform/ids';
import { answerKey, controlFolder, HELD, liveAsAgent } from '../../../fixtures/agent-life.ts';
import { untilFile } from '../../../fixtures/control-file.ts';
import { playTurn, type TurnAct } from './scripted-turn.ts';

await untilFile(controlFolder, 'sign-in-hold', false);
await liveAsAgent('scripted-agent', async (messages, client) => {
  const said = messages.map(({ content }) => content).join(' / ');
  const answer = (content: string, messageId?: string) =>
    client.callUntilAnswered('respond_chat', {
      content,
      idempotency_key: answerKey(messages),
      ...(messageId !== undefined && { message_id: messageId }),
    });
  if (isThere('turn.json'))
    await playTurn(client, JSON.parse(take('turn.json') ?? '[]') as TurnAct[], messages);
  else if (isThere('ask.json')) await answer(await ask(client));
  else if (isThere('pieces.json')) await stream(client, answer);
  else if (isThere('hold')) await answer((await heldOrStopped(client)) ?? `echo: ${said}`);
  else await answer(take('answer.md') ?? `echo: ${said}`);
});

async function stream(
  client: ToolClient,
  answer: (content: string, messageId: string) => Promise<unknown>,
): Promise<void> {
  const pieces = JSON.parse(take('pieces.json') ?? '[]') as string[];
  const messageId = newId('msg');
  let offset = 0;
  for (const [index, text] of pieces.entries()) {
    await untilFile(controlFolder, `piece-${index}`, true);
    await client.call('report_delta', { message_id: messageId, text, offset });
    offset += text.length;
  }
  await untilFile(controlFolder, 'end', true);
  await answer(pieces.join(''), messageId);
}

/** Repeats the call until the card is over. Called again after a restart, it gets the same card. */
async function ask(client: ToolClient): Promise<string> {
  const questions = JSON.parse(readFileSync(join(controlFolder, 'ask.json'), 'utf8')) as QuestionItem[];
  for (;;) {
    const heard = await client.callUntilAnswered('ask_user_question', { questions, hold_seconds: 25 }, HELD);
    if (heard.status !== 'pending') return `${heard.status} ${JSON.stringify(heard.answers ?? {})}`;
  }
}

/** Returns its answer if a person stopped it; undefined if `hold` was removed. */
async function heldOrStopped(client: ToolClient): Promise<string | undefined> {
  while (isThere('hold')) {
    const { control } = await client.callUntilAnswered('heartbeat', { phase: 'thinking', hold_seconds: 1 });
    if (control === 'interrupt') return 'stopped half way';
  }
  return undefined;
}

function take(name: string): string | undefined {
  if (!isThere(name)) return undefined;
  const file = join(controlFolder, name);
  const text = readFileSync(file, 'utf8');
  rmSync(file);
  return text;
}

function isThere(name: string): boolean {
  return existsSync(join(controlFolder, name));
}
