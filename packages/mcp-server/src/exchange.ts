import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** One HTTP request with its response, as far as a tool may know of it. */
export class Exchange {
  readonly bearer: string | undefined;
  readonly #request: IncomingMessage;
  readonly #addressOf: (request: IncomingMessage) => string;
  readonly #response: ServerResponse;
  readonly #socket: Socket;
  #isCancelled = false;
  #hasLargeAnswer = false;
  #delivered: Promise<boolean> | undefined;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    addressOf: (request: IncomingMessage) => string,
  ) {
    this.bearer = bearerOf(request.headers.authorization);
    this.#request = request;
    this.#addressOf = addressOf;
    this.#response = response;
    // The response lets go of its socket when it finishes.
    this.#socket = request.socket;
  }

  /** Where the call comes from; asked of the system only when somebody wants to know. */
  get address(): string {
    return this.#addressOf(this.#request);
  }

  get isGone(): boolean {
    return this.#isCancelled || this.#socket.destroyed || this.#response.closed;
  }

  /** Calls once when the response has ended or the client has left, whichever comes first. */
  onGone(listener: () => void): void {
    if (this.isGone) listener();
    else this.#response.once('close', listener);
  }

  /** Aborts when the response has ended or the client has left. */
  get signal(): AbortSignal {
    const gone = new AbortController();
    this.onGone(() => gone.abort());
    return gone.signal;
  }

  /** True when the whole response was handed to a connection that still lived; false when the client left first. */
  get delivered(): Promise<boolean> {
    this.#delivered ??= new Promise((resolve) => {
      if (this.#response.writableFinished || this.isGone) {
        resolve(this.#response.writableFinished && this.#isAlive);
        return;
      }
      this.#response.once('finish', () => resolve(this.#isAlive));
      this.#response.once('close', () => resolve(false));
    });
    return this.#delivered;
  }

  /**
   * One answer that may be large goes into a response: false from the second call on. Those of a batch would wait for
   * one another, for each leaves the turnstile with the response that holds them all.
   */
  takeLargeAnswer(): boolean {
    if (this.#hasLargeAnswer) return false;
    this.#hasLargeAnswer = true;
    return true;
  }

  /** The client has called it off on another connection: whatever is written from now on reaches nobody. */
  cancel(): void {
    this.#isCancelled = true;
    this.#response.end();
  }

  get #isAlive(): boolean {
    return !this.#isCancelled && !this.#socket.destroyed;
  }
}

function bearerOf(header: string | undefined): string | undefined {
  return /^bearer +(\S+) *$/i.exec(header ?? '')?.[1];
}
