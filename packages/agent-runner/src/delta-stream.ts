import { ToolUnreachable } from '@aizuchi/shared/mcp-client/tool-errors';

/** Shows the text `from` that offset on; what is not accepted is sent again with the next piece. */
export type SendDelta = (text: string, offset: number) => Promise<void>;

/**
 * Shows an answer while it grows: one report at a time, and what comes meanwhile goes with the next one, so a
 * fast model costs no more calls than the server answers. Showing is a courtesy: an unreachable server loses
 * nothing, because the whole answer follows.
 */
export class DeltaStream {
  readonly #send: SendDelta;
  #text = '';
  #shown = 0;
  #sending: Promise<void> | undefined;

  constructor(send: SendDelta) {
    this.#send = send;
  }

  get text(): string {
    return this.#text;
  }

  push(piece: string): void {
    this.#text += piece;
    this.#sending ??= this.#drain().finally(() => {
      this.#sending = undefined;
    });
  }

  /** Resolves when no report is under way: the answer that follows must not be overtaken. */
  async settled(): Promise<void> {
    await this.#sending;
  }

  async #drain(): Promise<void> {
    for (let end = this.#whole(); this.#shown < end; end = this.#whole()) {
      try {
        await this.#send(this.#text.slice(this.#shown, end), this.#shown);
        this.#shown = end;
      } catch (error) {
        if (error instanceof ToolUnreachable) return;
        throw error;
      }
    }
  }

  /** How much of it is whole characters: a surrogate pair may come in two pieces, and half a one is refused. */
  #whole(): number {
    const { length } = this.#text;
    const last = this.#text.charCodeAt(length - 1);
    return last >= 0xd800 && last <= 0xdbff ? length - 1 : length;
  }
}
