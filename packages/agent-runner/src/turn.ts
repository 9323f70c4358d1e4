import type { PendingMessages } from '@aizuchi/shared/contract/tools/chat-tools';
import { newId } from '@aizuchi/shared/ids';
import type { ToolClient } from '@aizuchi/shared/mcp-client/tool-client';
import { DeltaStream } from './delta-stream.ts';
import type { Driver, Turn } from './driver.ts';
import { beatDuringTurn } from './heartbeat.ts';
import { languageOf } from './language.ts';
import { TURN_TEXTS } from './turn-texts.ts';

export interface TurnContext {
  readonly client: ToolClient;
  readonly driver: Driver;
  readonly agentName: string;
  readonly log: (sentence: string) => void;
  readonly firstBeatAfterMs?: number;
}

export type TurnEnd = 'answered' | 'stop';

const FIRST_BEAT_AFTER_MS = 300;

/** Makes one answer to one batch and hands it in. An interrupted answer keeps what was said. */
export async function answerBatch(batch: PendingMessages, context: TurnContext): Promise<TurnEnd> {
  const { client, driver } = context;
  if (batch.source === null || batch.pending_messages.length === 0) return 'answered';
  const cut = new AbortController();
  const over = new AbortController();
  let control: 'interrupt' | 'stop' | null = null;
  const beats = beatDuringTurn({
    client,
    firstBeatAfterMs: context.firstBeatAfterMs ?? FIRST_BEAT_AFTER_MS,
    signal: over.signal,
    onControl: (given) => {
      control = given;
      cut.abort();
    },
  }).catch((error: unknown) => context.log(`heartbeat: ${sentenceOf(error)}`));
  const turn: Turn = {
    agentName: context.agentName,
    source: batch.source,
    messages: batch.pending_messages,
    context: batch.context_messages,
    tools: { call: (name, args) => client.callUntilAnswered(name, args, { signal: cut.signal }) },
    signal: cut.signal,
  };
  try {
    const said = await driveOrApologise(driver, turn, context);
    if (control === 'stop') return 'stop';
    await handIn(said, batch, client);
    return 'answered';
  } finally {
    over.abort();
    await beats;
  }
}

/** A batch that was delivered must be answered: without a word it would wait until the turn times out. */
async function driveOrApologise(driver: Driver, turn: Turn, context: TurnContext): Promise<Said> {
  try {
    return await drive(driver, turn, context.client);
  } catch (error) {
    context.log(`no answer: ${sentenceOf(error)}`);
    const languages = turn.messages.map((message) => languageOf(message.content));
    return { content: TURN_TEXTS[languages.find((language) => language !== undefined) ?? 'ja'].failed };
  }
}

interface Said {
  readonly content: string | null;
  readonly messageId?: string;
}

async function drive(driver: Driver, turn: Turn, client: ToolClient): Promise<Said> {
  const answer = driver.answer(turn);
  if (!(Symbol.asyncIterator in answer)) return { content: await ifNotCut(answer, turn.signal) };
  const messageId = newId('msg');
  const stream = new DeltaStream(async (text, offset) => {
    await client.call('report_delta', { message_id: messageId, text, offset }, { signal: turn.signal });
  });
  try {
    for await (const piece of answer) {
      stream.push(piece);
      if (turn.signal.aborted) break;
    }
    await stream.settled();
  } catch (error) {
    if (!turn.signal.aborted) throw error;
  }
  return { content: stream.text, messageId };
}

async function ifNotCut(answer: Promise<string | null>, signal: AbortSignal): Promise<string | null> {
  try {
    return await answer;
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

/** The key is made of the batch alone, so an answer that was sent twice is stored once. */
async function handIn(said: Said, batch: PendingMessages, client: ToolClient): Promise<void> {
  const content = said.content?.trim();
  await client.callUntilAnswered('respond_chat', {
    idempotency_key: batchKey(batch),
    ...(content ? { content } : {}),
    ...(content && said.messageId ? { message_id: said.messageId } : {}),
    ...(batch.source?.kind === 'conversation' ? { conversation_id: batch.source.conversation_id } : {}),
  });
}

function batchKey(batch: PendingMessages): string {
  const ids = batch.pending_messages.map((message) => message.id);
  return `answer:${ids.length}:${ids.at(0)}:${ids.at(-1)}`;
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
