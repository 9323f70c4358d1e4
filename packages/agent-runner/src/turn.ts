import { newId } from '@aizuchi/shared/platform/ids';
import { askPerson } from './ask-person.ts';
import { DeltaStream } from './delta-stream.ts';
import type { Ask, QuestionOutcome, Reply, Turn } from './driver.ts';
import { handIn } from './hand-in.ts';
import { beatDuringTurn } from './heartbeat.ts';
import { languageOf } from './language.ts';
import type { Batch, Said, TurnContext, TurnOptions } from './turn-context.ts';
import { TURN_TEXTS } from './turn-texts.ts';

export type TurnEnd =
  | { readonly kind: 'answered' | 'stop' }
  /** A card is open; the turn goes on when it is resolved. */
  | { readonly kind: 'waiting'; readonly toolUseId: string };

const FIRST_BEAT_AFTER_MS = 300;

/** Makes one answer to one batch and hands it in. An interrupted answer keeps what was said. */
export async function answerBatch(
  batch: Batch,
  context: TurnContext,
  options: TurnOptions = {},
): Promise<TurnEnd> {
  const { client } = context;
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
    agentId: context.agentId,
    agentName: context.agentName,
    source: batch.source,
    messages: options.interim ?? batch.pending_messages,
    context: batch.context_messages,
    tools: { call: (name, args) => client.callUntilAnswered(name, args, { signal: cut.signal }) },
    signal: cut.signal,
  };
  try {
    let said = await driveOrApologise(withOutcome(turn, options.asked), context);
    while (isAsk(said.reply) && control === null) {
      const card = await askPerson(said.reply, context);
      if (card.status === 'pending') return { kind: 'waiting', toolUseId: card.toolUseId };
      said = await driveOrApologise(withOutcome(turn, card), context);
    }
    if (control === 'stop') return { kind: 'stop' };
    await handIn(said, batch, context, options);
    return { kind: 'answered' };
  } finally {
    over.abort();
    await beats;
  }
}

function withOutcome(turn: Turn, asked: QuestionOutcome | undefined): Turn {
  return asked === undefined ? turn : { ...turn, asked };
}

function isAsk(reply: Reply): reply is Ask {
  return typeof reply === 'object' && reply?.kind === 'ask';
}

/** A batch that was delivered must be answered: without a word it would wait until the turn times out. */
async function driveOrApologise(turn: Turn, context: TurnContext): Promise<Said> {
  try {
    return await drive(turn, context);
  } catch (error) {
    context.log(`no answer: ${sentenceOf(error)}`);
    const languages = turn.messages.map((message) => languageOf(message.content));
    return { reply: TURN_TEXTS[languages.find((language) => language !== undefined) ?? 'ja'].failed };
  }
}

async function drive(turn: Turn, { driver, client }: TurnContext): Promise<Said> {
  const answer = driver.answer(turn);
  if (!(Symbol.asyncIterator in answer)) return { reply: await ifNotCut(answer, turn.signal) };
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
  return { reply: stream.text, messageId };
}

async function ifNotCut(answer: Promise<Reply>, signal: AbortSignal): Promise<Reply> {
  try {
    return await answer;
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
