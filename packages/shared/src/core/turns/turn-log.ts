import type { TurnFrame } from '../../contract/turn.ts';

/** What a running turn has said, for everybody who follows it. */
export class TurnLog {
  readonly #frames: TurnFrame[] = [];
  #said = '';
  #isEnded = false;
  #news = Promise.withResolvers<void>();

  get said(): string {
    return this.#said;
  }

  say(text: string): void {
    if (text === '' || this.#isEnded) return;
    this.#said += text;
    this.#add({ id: this.#said.length, event: 'token', data: { text } });
  }

  end(frame: Exclude<TurnFrame, { event: 'token' }>): void {
    this.#isEnded = true;
    this.#add(frame);
  }

  /**
   * The frames behind an id, then the further ones as they come, to the end. The last one says how it ended: whoever
   * has not read it gets it, also behind an id that was never given.
   */
  async *after(id: number): AsyncGenerator<TurnFrame> {
    for (let index = 0; ; index += 1) {
      while (index >= this.#frames.length) {
        if (this.#isEnded) return;
        await this.#news.promise;
      }
      const frame = this.#frames[index];
      if (frame && isNewTo(id, frame)) yield frame;
    }
  }

  #add(frame: TurnFrame): void {
    this.#frames.push(frame);
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }
}

/**
 * Whether somebody who has read up to `id` still needs a frame. An error always: of a turn that has lost its process
 * more may have been sent than is kept, and the id of a token that is not kept may be that of the error.
 */
export function isNewTo(id: number, frame: TurnFrame): boolean {
  if (frame.event === 'token') return frame.id > id;
  return frame.event === 'error' || frame.id !== id;
}
