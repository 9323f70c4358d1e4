import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** One HTTP request with its response, as far as a tool may know of it. */
export class Exchange {
  readonly bearer: string | undefined;
  readonly address: string;
  readonly #response: ServerResponse;
  readonly #socket: Socket;
  #delivered: Promise<boolean> | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, address: string) {
    this.bearer = bearerOf(request.headers.authorization);
    this.address = address;
    this.#response = response;
    // The response lets go of its socket when it finishes.
    this.#socket = request.socket;
  }

  get isGone(): boolean {
    return this.#socket.destroyed || this.#response.closed;
  }

  /** Calls once when the response has ended or the client has left, whichever comes first. */
  onGone(listener: () => void): void {
    if (this.isGone) listener();
    else this.#response.once('close', listener);
  }

  /** True when the whole response was handed to a connection that still lived; false when the client left first. */
  get delivered(): Promise<boolean> {
    this.#delivered ??= new Promise((resolve) => {
      if (this.#response.writableFinished || this.isGone) {
        resolve(this.#response.writableFinished && !this.#socket.destroyed);
        return;
      }
      this.#response.once('finish', () => resolve(!this.#socket.destroyed));
      this.#response.once('close', () => resolve(false));
    });
    return this.#delivered;
  }
}

function bearerOf(header: string | undefined): string | undefined {
  return /^bearer +(\S+) *$/i.exec(header ?? '')?.[1];
}
