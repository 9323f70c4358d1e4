import { z } from 'zod';

const toldSchema = z.object({ receipt: z.string() }).loose();

/**
 * What a session was told and has got, to be named by its next call (contract §5 "Receipts"). The first call names
 * nothing: it says that this client knows receipts, so that nothing counts as told before it has arrived.
 */
export class ReceiptBook {
  readonly #arrived = new Set<string>();
  #isIntroduced = false;

  /** What the next call names; undefined: nothing to say. */
  toName(): string[] | undefined {
    return this.#isIntroduced && this.#arrived.size === 0 ? undefined : [...this.#arrived];
  }

  /** The call that named them was answered. */
  named(receipts: readonly string[]): void {
    this.#isIntroduced = true;
    for (const receipt of receipts) this.#arrived.delete(receipt);
  }

  /** An answer has arrived whole. */
  arrived(answer: unknown): void {
    const told = toldSchema.safeParse(answer);
    if (told.success) this.#arrived.add(told.data.receipt);
  }
}
