/** The time of the server, from its last answer and a clock that is never set; somewhat late, never early. */
export class ServerClock {
  readonly #monotonic: () => number;
  #last: { readonly serverMs: number; readonly at: number } | undefined;

  constructor(monotonic: () => number = () => performance.now()) {
    this.#monotonic = monotonic;
  }

  /** Undefined: the server does not say its time. */
  answered(serverTime: string | undefined): void {
    if (serverTime !== undefined) this.#last = { serverMs: Date.parse(serverTime), at: this.#monotonic() };
  }

  forget(): void {
    this.#last = undefined;
  }

  now(): string | undefined {
    if (!this.#last) return undefined;
    const { serverMs, at } = this.#last;
    return new Date(Math.floor(serverMs + this.#monotonic() - at)).toISOString();
  }
}
