import type { TurnEvent } from '../../turn-events.ts';

type TextEvent = Extract<TurnEvent, { type: 'text' | 'truncate' }>;

/** Between two texts of one answer, for example before and after a tool. */
const GAP = '\n\n';

/**
 * The answer of one turn, from the streamed pieces of text blocks. A block counts when Claude Code has said it as a whole.
 * When the stream of the model breaks, the block ends without that, and its text is taken back: the model begins anew.
 */
export class AnswerBlocks {
  #length = 0;
  /** The block that is streamed now, and where the answer ended before it. */
  #open: { readonly start: number; text: string } | undefined;
  /** Where the answer ended before each message of the model. */
  readonly #starts = new Map<string, number>();

  messageStarts(id: string): void {
    this.#starts.set(id, this.#length);
  }

  piece(text: string): TextEvent[] {
    if (text === '') return [];
    this.#open ??= { start: this.#length, text: '' };
    const gap = this.#open.text === '' && this.#length > 0 ? GAP : '';
    this.#open.text += text;
    return this.#append(gap + text);
  }

  /** The whole text of a block: of the one that was streamed, or of one that was not. */
  whole(text: string): TextEvent[] {
    if (this.#open?.text === text) {
      this.#open = undefined;
      return [];
    }
    const cut = this.blockEnds();
    const added = this.piece(text);
    this.#open = undefined;
    return [...cut, ...added];
  }

  /** Nothing more comes of the block that is streamed now. */
  blockEnds(): TextEvent[] {
    const open = this.#open;
    this.#open = undefined;
    return open ? this.#cut(open.start) : [];
  }

  /** The model withdraws what it wrote in this message. */
  withdraw(messageId: string): TextEvent[] {
    const start = this.#starts.get(messageId);
    this.#open = undefined;
    return start === undefined ? [] : this.#cut(start);
  }

  #append(text: string): TextEvent[] {
    this.#length += text.length;
    return [{ type: 'text', text }];
  }

  #cut(length: number): TextEvent[] {
    if (length >= this.#length) return [];
    this.#length = length;
    return [{ type: 'truncate', length }];
  }
}
