import { type AddressRange, addressesOf } from '@aizuchi/shared/platform/http/address';

/**
 * The addresses of runs in their network. The engine would give one again as soon as its container has exited, when what the
 * next run says could still be taken for the last one: here it comes again after all others, and never while it is in use.
 */
export class RunAddresses {
  readonly #range: AddressRange;
  readonly #used: Set<string>;
  #next = 0;

  /** `taken`: of nobody but us, as that of the gateway. */
  constructor(subnet: string, taken: readonly string[]) {
    this.#range = addressesOf(subnet);
    this.#used = new Set(taken);
  }

  /** Undefined: all are in use. */
  take(): string | undefined {
    for (let tried = 0; tried < this.#range.count; tried += 1) {
      const address = this.#range.at(this.#next);
      this.#next = (this.#next + 1) % this.#range.count;
      if (this.#used.has(address)) continue;
      this.#used.add(address);
      return address;
    }
    return undefined;
  }

  free(address: string): void {
    this.#used.delete(address);
  }
}
