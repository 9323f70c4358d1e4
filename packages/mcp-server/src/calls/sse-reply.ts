import type { ServerResponse } from 'node:http';

/** As the SDK answers, so that a client cannot tell the two ways apart. */
const HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  Connection: 'keep-alive',
  'X-Accel-Buffering': 'no',
};

/**
 * A reply as a stream of events. Its headers are on the wire after `headersAfterMs` at the latest; what is answered
 * before goes out in one piece with them.
 */
export class SseReply {
  readonly #response: ServerResponse;
  readonly #opening: NodeJS.Timeout | undefined;

  constructor(response: ServerResponse, headersAfterMs: number) {
    this.#response = response;
    if (headersAfterMs > 0) this.#opening = setTimeout(() => this.#open(), headersAfterMs);
    else this.#open();
  }

  message(message: object): void {
    this.#open();
    this.#response.write(frame(message));
  }

  end(message: object): void {
    clearTimeout(this.#opening);
    if (!this.#response.headersSent) this.#response.writeHead(200, HEADERS);
    this.#response.end(frame(message));
  }

  /** The client has left, or has called it off: nothing is written any more. */
  abandon(): void {
    clearTimeout(this.#opening);
  }

  #open(): void {
    clearTimeout(this.#opening);
    if (this.#response.headersSent || this.#response.writableEnded) return;
    this.#response.writeHead(200, HEADERS);
    // A comment: the first body byte takes the headers along.
    this.#response.write(': held\n\n');
  }
}

function frame(message: object): string {
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`;
}
