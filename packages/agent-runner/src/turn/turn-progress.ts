import type { Message } from '@aizuchi/shared/contract/chat';
import type { TurnEnd, Usage } from '../turn-events.ts';
import type { Progress } from './consume-events.ts';
import { type Delta, DeltaStream } from './delta-stream.ts';
import { failureText } from './failure-text.ts';
import type { Answer, Batch, TurnContext } from './turn-context.ts';

/** What has come out of a turn so far: the growing answer, and what the agent does. */
export class TurnProgress {
  readonly #context: TurnContext;
  readonly #deltas: DeltaStream;
  readonly #startedAt = performance.now();
  #phase = 'thinking';
  #usage: Usage | undefined;

  constructor({ source }: Batch, context: TurnContext, signal: AbortSignal) {
    this.#context = context;
    const { client, log } = context;
    const send = async ({ messageId, text, offset }: Delta) => {
      if (!signal.aborted) await client.call('report_delta', { message_id: messageId, text, offset });
    };
    // Readers show what grows in the chat. An answer to another agent does not belong there.
    this.#deltas = new DeltaStream(source.kind === 'chat' ? send : undefined, log);
  }

  /** For heartbeats. */
  get phase(): string {
    return this.#phase;
  }

  take(event: Progress): void {
    switch (event.type) {
      case 'text':
        this.#phase = 'writing';
        this.#deltas.push(event.text);
        break;
      case 'truncate':
        this.#deltas.truncate(event.length);
        break;
      case 'step':
        this.#phase = event.step.status === 'running' ? 'tool' : 'thinking';
        this.#context.unreported.step(event.step);
        break;
      case 'usage':
        this.#usage = event.usage;
        break;
    }
  }

  /** Shows nothing more. The answer is what was written; after a failure a sentence follows it. */
  async finish(end: TurnEnd, messages: readonly Message[]): Promise<Answer> {
    await this.#deltas.finish();
    if (this.#usage) this.#context.unreported.usage(this.#usage, performance.now() - this.#startedAt);
    const { text, messageId } = this.#deltas;
    if (end.reason !== 'failed') return { content: text, messageId };
    this.#context.log(`no answer: ${end.error}`);
    const sentence = end.sentence ?? failureText(messages);
    return { content: text.trim() === '' ? sentence : `${text}\n\n${sentence}`, messageId };
  }
}
