import { z } from 'zod';

const toldSchema = z.object({ receipt: z.string() }).loose();

/**
 * The receipts of what a session was given and has received, to be named by its next call. The first call names an empty list: this says that the client uses receipts, so that nothing
 * counts as acknowledged before it has arrived.
 */
export class ReceiptBook {
  readonly #arrived = new Set<string>();
  #isIntroduced = false;

  /** The receipts for the next call; undefined: none. */
  toName(): string[] | undefined {
    return this.#isIntroduced && this.#arrived.size === 0 ? undefined : [...this.#arrived];
  }

  /** The call that named them was answered. */
  named(receipts: readonly string[]): void {
    this.#isIntroduced = true;
    for (const receipt of receipts) this.#arrived.delete(receipt);
  }

  /** An answer has arrived completely. */
  arrived(answer: unknown): void {
    const told = toldSchema.safeParse(answer);
    if (told.success) this.#arrived.add(told.data.receipt);
  }
}
