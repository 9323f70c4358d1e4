import type { Step, TurnEvent } from '../../turn-events.ts';
import { cutBytes } from './history/cut-text.ts';
import { BETWEEN_STEPS } from './history/records.ts';
import { type Piece, type Reply, usageOf } from './model/ask-model.ts';
import { ModelFault } from './model/faults.ts';
import type { OpenAiTexts } from './texts/texts-shape.ts';

const DETAIL_BYTES = 4_096;

/** In UTF-16 units: about what a message of an agent may have. */
const TEXT_LENGTH = 100_000;

/** The answer of one turn as it grows: its text, the steps on the way to it, and what it has cost. */
export class TurnAnswer {
  readonly texts: OpenAiTexts;
  #text = '';
  #stepCount = 0;
  /** How many calls of tools were carried out. */
  toolUses = 0;
  #usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0 };

  constructor(texts: OpenAiTexts) {
    this.texts = texts;
  }

  get text(): string {
    return this.#text;
  }

  nextStepId(): string {
    this.#stepCount += 1;
    return `s${this.#stepCount}`;
  }

  /** What was said before this process. */
  *goOnFrom(text: string): Generator<TurnEvent> {
    if (text === '') return;
    this.#text = text;
    yield { type: 'text', text };
  }

  /** The pieces of one reply, as they come. */
  async *take(pieces: AsyncIterable<Piece>): AsyncGenerator<TurnEvent> {
    let thought: Step | undefined;
    let isFirst = true;
    try {
      for await (const piece of pieces) {
        if (piece.type === 'reasoning') {
          if (!thought) {
            thought = this.#thinking();
            yield { type: 'step', step: thought };
          }
          if ((thought.detail ?? '').length < DETAIL_BYTES)
            thought = { ...thought, detail: (thought.detail ?? '') + piece.text };
          continue;
        }
        if (thought) yield ended(thought, 'done');
        thought = undefined;
        const text = isFirst ? this.#first(piece.text) : piece.text;
        if (text === '') continue;
        isFirst = false;
        this.#text += text;
        yield { type: 'text', text };
        if (this.#text.length > TEXT_LENGTH) throw new ModelFault({ kind: 'endless' });
      }
    } catch (error) {
      if (thought) yield ended(thought, 'failed');
      throw error;
    }
    if (thought) yield ended(thought, 'done');
  }

  /** Each reply is paid for. `promptTokens`: of one that broke, whose end would have said what it cost. */
  *count(reply: Reply, promptTokens?: number): Generator<TurnEvent> {
    const { modelId: model } = reply;
    const usage = usageOf(reply, promptTokens);
    if (!usage) return;
    this.#usage = {
      inputTokens: this.#usage.inputTokens + usage.inputTokens,
      outputTokens: this.#usage.outputTokens + usage.outputTokens,
      cacheReadTokens: this.#usage.cacheReadTokens + usage.cacheReadTokens,
    };
    yield { type: 'usage', usage: { ...(model !== undefined && { model }), ...this.#usage } };
  }

  /** Models like to begin with empty lines. */
  #first(text: string): string {
    const begun = text.trimStart();
    return begun !== '' && this.#text !== '' ? BETWEEN_STEPS + begun : begun;
  }

  #thinking(): Step {
    return { id: this.nextStepId(), kind: 'thought', title: this.texts.thinking, status: 'running' };
  }
}

function ended(step: Step, status: 'done' | 'failed'): TurnEvent {
  return { type: 'step', step: { ...step, status, detail: cutBytes(step.detail ?? '', DETAIL_BYTES) } };
}
