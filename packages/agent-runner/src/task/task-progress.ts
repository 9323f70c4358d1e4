import { STEP_LIMITS } from '@aizuchi/shared/contract/step';
import { AnswerId } from '../turn/answer-id.ts';
import { type Delta, DeltaStream } from '../turn/delta-stream.ts';
import { HiddenStream } from '../turn/hidden-stream.ts';
import { StepStream } from '../turn/step-stream.ts';
import type { TurnContext } from '../turn/turn-context.ts';
import { hiddenIn } from '../turn/turn-progress.ts';
import type { Step } from '../turn-events.ts';

/**
 * What comes out of a turn at a task, shown with the attempt as that of an answer is in the chat. Text that begins anew is
 * shown under another id; the steps of the turn stay under theirs.
 */
export class TaskProgress {
  readonly #hide: TurnContext['hide'];
  readonly #hidden: HiddenStream;
  readonly #deltas: DeltaStream;
  readonly #steps: StepStream;
  /** Drivers name steps anew in each turn; an attempt has several. */
  readonly #prefix: string;

  /** `turn`: which turn of the attempt, from 1. */
  constructor(context: TurnContext, turn: number) {
    this.#prefix = turn === 1 ? '' : `${turn}/`;
    const { client, log, hide } = context;
    this.#hide = hide;
    this.#hidden = new HiddenStream(context);
    const send = async ({ messageId, text, offset }: Delta) => {
      await client.call('report_delta', { message_id: messageId, text, offset });
    };
    this.#deltas = new DeltaStream(send, log);
    this.#steps = new StepStream({
      answerId: new AnswerId(),
      send: async (message_id, step, signal) =>
        (await client.call('report_step', { message_id, step }, { signal })).reason,
      log,
      maxSteps: STEP_LIMITS.stepsOfTurn,
    });
  }

  push(text: string): void {
    this.#deltas.push(this.#hidden.push(text));
  }

  truncate(length: number): void {
    this.#deltas.push(this.#hidden.flush());
    this.#deltas.truncate(length);
  }

  step(step: Step): void {
    this.#steps.push(hiddenIn({ ...step, id: `${this.#prefix}${step.id}` }, this.#hide));
  }

  /** The driver has ended the turn: returns what it has written. Shows the last steps, for a bounded time. */
  async finish(isDone: boolean): Promise<string> {
    this.#deltas.push(this.#hidden.flush());
    await Promise.all([this.#deltas.finish(), this.#steps.finish(isDone ? 'done' : 'failed')]);
    return this.#deltas.text;
  }
}
