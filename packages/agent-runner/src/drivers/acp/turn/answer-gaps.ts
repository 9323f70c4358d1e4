/** Between two texts of one answer, for example before and after a tool. */
const GAP = '\n\n';

/** The answer of one turn as it grows, with a gap between what the agent says apart. The text itself is not kept. */
export class AnswerGaps {
  #isEmpty = true;
  /** Whether the next piece can follow without a gap. */
  #isAtStart = true;
  #messageId: string | null | undefined;
  #isApart = false;

  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  /** What follows is apart from what was said before. */
  separate(): void {
    this.#isApart = true;
  }

  /** What is added to the answer for this piece of a message. */
  add(piece: string, messageId: string | null | undefined): string {
    const isNew = this.#isApart || messageId !== this.#messageId;
    const added = (isNew && !this.#isAtStart ? GAP : '') + piece;
    this.#messageId = messageId;
    this.#isApart = false;
    this.#isEmpty &&= piece.trim() === '';
    if (added !== '') this.#isAtStart = added.endsWith('\n');
    return added;
  }
}
