import { setImmediate as nextTick } from 'node:timers/promises';
import { ToolUnreachable } from '@aizuchi/shared/mcp-client/tool-errors';
import { newId } from '@aizuchi/shared/platform/ids';

/** `offset`: where the text begins, in UTF-16 units of the whole answer. */
export interface Delta {
  readonly messageId: string;
  readonly text: string;
  readonly offset: number;
}

/**
 * Shows an answer while it grows. One report is sent at a time, and what is written meanwhile goes with the next one, so
 * a fast model costs no more calls than the server answers. A report that fails loses nothing: the whole answer follows.
 */
export class DeltaStream {
  readonly #send: ((delta: Delta) => Promise<void>) | undefined;
  readonly #log: (sentence: string) => void;
  #messageId = newId('msg');
  #text = '';
  /** Units that the server has accepted under this id. */
  #shown = 0;
  /** Units that a report under this id has held, accepted or not. */
  #reported = 0;
  #sending: Promise<void> | undefined;
  #isFinished = false;

  /** Without `send` nothing is reported. */
  constructor(send: ((delta: Delta) => Promise<void>) | undefined, log: (sentence: string) => void) {
    this.#send = send;
    this.#log = log;
  }

  get text(): string {
    return this.#text;
  }

  /** The id under which the answer was reported; undefined when it was not. */
  get messageId(): string | undefined {
    return this.#reported > 0 ? this.#messageId : undefined;
  }

  push(piece: string): void {
    this.#text += piece;
    this.#start();
  }

  /** Readers can only add to what they show, so the shortened answer is shown under another id from its beginning. */
  truncate(length: number): void {
    this.#text = this.#text.slice(0, length);
    if (this.#reported <= length) return;
    this.#messageId = newId('msg');
    this.#shown = 0;
    this.#reported = 0;
    this.#start();
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
      const messageId = this.#messageId;
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
      if (messageId === this.#messageId) this.#shown = end;
    }
  }

  /** The end of the whole characters: a surrogate pair may come in two pieces, and the server refuses half of one. */
  #end(): number {
    const { length } = this.#text;
    const last = this.#text.charCodeAt(length - 1);
    return last >= 0xd800 && last <= 0xdbff ? length - 1 : length;
  }
}
