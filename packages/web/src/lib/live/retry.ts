import { backoffMs } from '../backoff.ts';

const BACKOFF = { firstMs: 250, longestMs: 10_000 };

/** The delay after so many failures before this one, in milliseconds. Varied, so that pages do not retry together. */
export function retryDelayMs(failures: number, random: () => number): number {
  return backoffMs(failures, BACKOFF) * (0.5 + random() / 2);
}

/** Repeats a request that the server could not serve, each time after a longer delay, until it has succeeded. */
export class Retry {
  readonly #request: () => void;
  readonly #random: () => number;
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(request: () => void, random: () => number) {
    this.#request = request;
    this.#random = random;
  }

  /** It has failed. Does nothing while the next attempt is waited for. */
  later(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.#request();
      },
      retryDelayMs(this.#failures, this.#random),
    );
    this.#failures += 1;
  }

  succeeded(): void {
    this.cancel();
    this.#failures = 0;
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
