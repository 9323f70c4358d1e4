import type { Message } from '@aizuchi/shared/contract/chat';
import type { Step, TurnEnd, Usage } from '../turn-events.ts';
import { AnswerId } from './answer-id.ts';
import { storableSentence } from './answer-text.ts';
import type { Progress } from './consume-events.ts';
import { type Delta, DeltaStream } from './delta-stream.ts';
import { cutNote, failureText, unfinishedNote } from './failure-text.ts';
import { HiddenStream } from './hidden-stream.ts';
import { StepStream } from './step-stream.ts';
import type { Answer, Batch, TurnContext } from './turn-context.ts';
import { toTurnUsage } from './turn-usage.ts';

/** What has come out of a turn so far: the growing answer, and what the agent does. */
export class TurnProgress {
  readonly #context: TurnContext;
  readonly #answerId = new AnswerId();
  readonly #deltas: DeltaStream;
  readonly #hidden: HiddenStream;
  readonly #steps: StepStream;
  readonly #startedAt = performance.now();
  #phase = 'thinking';
  #usage: Usage | undefined;
  /** It has used a tool: what it did must not be lost with a turn that fails. */
  #hasWorked = false;

  constructor({ source, batch_id }: Batch, context: TurnContext, signal: AbortSignal) {
    this.#context = context;
    this.#hidden = new HiddenStream(context);
    const { client, log } = context;
    const send = async ({ messageId, text, offset }: Delta) => {
      if (!signal.aborted) await client.call('report_delta', { message_id: messageId, text, offset });
    };
    // Readers show what grows in the chat. An answer to another agent does not belong there.
    this.#deltas = new DeltaStream(source.kind === 'chat' ? send : undefined, log, this.#answerId);
    this.#steps = new StepStream({
      answerId: this.#answerId,
      send: async (message_id, step, stepSignal) =>
        (await client.call('report_step', { message_id, step, batch_id }, { signal: stepSignal })).reason,
      log,
    });
  }

  /** For heartbeats. */
  get phase(): string {
    return this.#phase;
  }

  take(event: Progress): void {
    switch (event.type) {
      case 'text':
        this.#phase = 'writing';
        this.#deltas.push(this.#hidden.push(event.text));
        break;
      case 'truncate':
        this.#deltas.push(this.#hidden.flush());
        if (this.#deltas.truncate(event.length)) this.#steps.restart();
        break;
      case 'step':
        this.#phase = event.step.status === 'running' ? 'tool' : 'thinking';
        this.#hasWorked ||= event.step.kind !== 'thought' && event.step.kind !== 'other';
        this.#steps.push(hiddenIn(event.step, this.#context.hide));
        break;
      case 'usage':
        this.#usage = event.usage;
        break;
    }
  }

  /**
   * Shows the last steps, for a bounded time, and nothing more. The answer is what was shown; a sentence follows it when it
   * was cut.
   */
  async finish(end: TurnEnd, messages: readonly Message[]): Promise<Answer> {
    this.#deltas.push(this.#hidden.flush());
    const failure = this.#failureOf(end, messages);
    const isCut = end.reason === 'failed' && end.isCut === true && this.#deltas.text.trim() !== '';
    const content = this.#contentOf(messages, failure, isCut);
    // Steps that are kept with nothing are not worth a wait.
    const areKept = content.trim() !== '' && !(end.reason === 'done' && end.answered);
    // Who says that the turn is done has no step that runs.
    const steps = areKept
      ? this.#steps.finish(end.reason === 'done' ? 'done' : 'failed')
      : this.#steps.abandon();
    await Promise.all([this.#deltas.finish(), steps]);
    return {
      content,
      failure: isCut ? undefined : failure,
      messageId: this.#answerId.shown,
      cost: this.#cost,
    };
  }

  /** The session ends, and the answer is not handed in. */
  async abandon(): Promise<void> {
    await Promise.all([this.#deltas.finish(), this.#steps.abandon()]);
    await this.#context.unreported.usage(this.#cost);
  }

  #contentOf(messages: readonly Message[], failure: string | undefined, isAnswer: boolean): string {
    const { text, isCut } = this.#deltas;
    const parts = text.trim() === '' ? [] : [text];
    if (isCut) parts.push(cutNote(messages));
    if (failure !== undefined) {
      if (isAnswer) parts.push(failure);
      else if (parts.length === 0 && this.#hasWorked) parts.push(unfinishedNote(messages));
    }
    return parts.join('\n\n');
  }

  #failureOf(end: TurnEnd, messages: readonly Message[]): string | undefined {
    if (end.reason !== 'failed') return undefined;
    this.#context.log(`no answer: ${end.error}`);
    // Hidden before it is cut: a part of a secret would not be found.
    return storableSentence(this.#context.hide(end.sentence ?? failureText(messages)));
  }

  get #cost() {
    return this.#usage && toTurnUsage(this.#usage, performance.now() - this.#startedAt);
  }
}

/** A step without the secrets of the run. */
export function hiddenIn(step: Step, hide: (text: string) => string): Step {
  const { title, detail, diff } = step;
  return {
    ...step,
    title: hide(title),
    ...(detail !== undefined && { detail: hide(detail) }),
    ...(diff && { diff: { path: hide(diff.path), before: hide(diff.before), after: hide(diff.after) } }),
  };
}
