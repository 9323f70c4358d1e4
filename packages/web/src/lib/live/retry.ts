/** Repeats a request that the server could not serve, each time after a longer delay, until it has succeeded. */
export class Retry {
  readonly #request: () => void;
  readonly #delayMs: (failures: number) => number;
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `delayMs` is given the number of failures before this one. */
  constructor(request: () => void, delayMs: (failures: number) => number) {
    this.#request = request;
    this.#delayMs = delayMs;
  }

  /** It has failed. Does nothing while the next attempt is waited for. */
  later(): void {
    this.#timer ??= setTimeout(
      () => {
        this.#timer = undefined;
        this.#request();
      },
      this.#delayMs(this.#failures++),
    );
  }

  /** It has succeeded, or is not wanted any more. Returns whether it had failed before. */
  over(): boolean {
    const hadFailed = this.#failures > 0;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#failures = 0;
    return hadFailed;
  }
}
