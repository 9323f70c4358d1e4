export interface SilenceLimits {
  /** Until the first token: a server may have to load the model first. */
  readonly firstMs: number;
  /** Between two tokens. */
  readonly nextMs: number;
}

/** Ends a request on which nothing comes any more. */
export class Watchdog {
  /** Aborted by the turn, or because of the silence. */
  readonly signal: AbortSignal;
  readonly #silence = new AbortController();
  readonly #limits: SilenceLimits;
  #waitsMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(turn: AbortSignal, limits: SilenceLimits) {
    this.#limits = limits;
    this.#waitsMs = limits.firstMs;
    this.signal = AbortSignal.any([turn, this.#silence.signal]);
    this.#start();
  }

  /** How long nothing came; undefined: it was not that. */
  get silentMs(): number | undefined {
    return this.#silence.signal.aborted ? this.#waitsMs : undefined;
  }

  /** Something came. */
  touch(): void {
    this.#waitsMs = this.#limits.nextMs;
    this.#stop();
    this.#start();
  }

  #stop(): void {
    clearTimeout(this.#timer);
  }

  /** The request is over, also when its reader has left before its end. */
  close(): void {
    this.#stop();
    this.#silence.abort();
  }

  #start(): void {
    this.#timer = setTimeout(() => this.#silence.abort(), this.#waitsMs);
  }
}
