import type { Step } from '../../../turn-events.ts';

/** A thought that grows is shown again after as many characters, not with each piece. */
const SHOWN_EACH = 500;

/** What the agent thinks, as a step for each stretch of it. */
export class ThoughtSteps {
  readonly #title: string;
  #count = 0;
  #text = '';
  #shown = 0;
  #isOpen = false;

  constructor(title: string) {
    this.#title = title;
  }

  /** The step to show; undefined: not yet again. */
  add(piece: string): Step | undefined {
    if (!this.#isOpen) {
      this.#isOpen = true;
      this.#count += 1;
      this.#text = '';
      this.#shown = -SHOWN_EACH;
    }
    this.#text += piece;
    if (this.#text.length - this.#shown < SHOWN_EACH) return undefined;
    this.#shown = this.#text.length;
    return this.#step('running');
  }

  /** The whole of the thought that has ended; undefined: none was open. */
  end(): Step | undefined {
    if (!this.#isOpen) return undefined;
    this.#isOpen = false;
    return this.#step('done');
  }

  #step(status: Step['status']): Step {
    return { id: `thought-${this.#count}`, kind: 'thought', title: this.#title, status, detail: this.#text };
  }
}
