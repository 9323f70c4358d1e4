import { setImmediate as nextTick } from 'node:timers/promises';
import { ToolUnreachable } from '@aizuchi/shared/mcp-client/tool-errors';
import { AnswerId } from './answer-id.ts';
import { AnswerText } from './answer-text.ts';

/** `offset`: where the text begins, in UTF-16 units of the whole answer. */
export interface Delta {
  readonly messageId: string;
  readonly text: string;
  readonly offset: number;
}

/** UTF-16 units of one report; the server takes 100,000. */
const REPORT_LENGTH = 50_000;

/**
 * Shows an answer while it grows. One report is sent at a time, and what is written meanwhile goes with the next one, so
 * a fast model costs no more calls than the server answers. A report that fails loses nothing: the whole answer follows.
 */
export class DeltaStream {
  readonly #send: ((delta: Delta) => Promise<void>) | undefined;
  readonly #log: (sentence: string) => void;
  readonly #answerId: AnswerId;
  readonly #text = new AnswerText();
  /** Units that the server has accepted under this id. */
  #shown = 0;
  /** Units that a report under this id has held, accepted or not. */
  #reported = 0;
  #sending: Promise<void> | undefined;
  #isFinished = false;

  /** Without `send` nothing is reported. */
  constructor(
    send: ((delta: Delta) => Promise<void>) | undefined,
    log: (sentence: string) => void,
    answerId = new AnswerId(),
  ) {
    this.#send = send;
    this.#log = log;
    this.#answerId = answerId;
  }

  /** What was shown and is to be stored. */
  get text(): string {
    return this.#text.text;
  }

  /** Whether more was written than an answer may have. */
  get isCut(): boolean {
    return this.#text.isCut;
  }

  push(piece: string): void {
    this.#text.push(piece);
    this.#start();
  }

  /**
   * Readers can only add to what they show, so the shortened answer is shown under another id from its beginning. True
   * when it is: then the answer has that id.
   */
  truncate(length: number): boolean {
    this.#text.truncate(length);
    if (this.#reported <= length) return false;
    this.#answerId.renew();
    this.#shown = 0;
    this.#reported = 0;
    this.#start();
    return true;
  }

  /** Reports nothing more. Resolves when no report is under way: it must not arrive after the answer. */
  async finish(): Promise<void> {
    this.#isFinished = true;
    await this.#sending;
  }

  #start(): void {
    if (!this.#send) return;
    this.#sending ??= this.#report(this.#send).finally(() => {
      this.#sending = undefined;
    });
  }

  async #report(send: (delta: Delta) => Promise<void>): Promise<void> {
    // An answer that is complete at once is handed in without a report.
    await nextTick();
    for (let end = this.#end(); !this.#isFinished && this.#shown < end; end = this.#end()) {
      const messageId = this.#answerId.forReport();
      const delta = { messageId, text: this.#text.slice(this.#shown, end), offset: this.#shown };
      this.#reported = end;
      try {
        await send(delta);
      } catch (error) {
        // Sent again with the next piece.
        if (error instanceof ToolUnreachable) return;
        this.#isFinished = true;
        this.#log(`the answer is not shown while it grows: ${String(error)}`);
        return;
      }
      if (messageId === this.#answerId.value) this.#shown = end;
    }
  }

  #end(): number {
    return this.#text.wholeEnd(this.#shown + REPORT_LENGTH);
  }
}
