import { newId } from '@aizuchi/shared/platform/ids';

/** The id of the coming answer, under which its text and its steps are shown while it grows. */
export class AnswerId {
  #value = newId('msg');
  #isShown = false;

  /** The id, for a report: from now on something was shown under it, whether the report arrives or not. */
  forReport(): string {
    this.#isShown = true;
    return this.#value;
  }

  get value(): string {
    return this.#value;
  }

  /** The id under which something was shown; undefined when nothing was. */
  get shown(): string | undefined {
    return this.#isShown ? this.#value : undefined;
  }

  /** The answer is shown anew from its beginning. The server drops what was shown under the id before. */
  renew(): void {
    this.#value = newId('msg');
    this.#isShown = false;
  }
}
