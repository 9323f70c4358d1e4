import type { ServerResponse } from 'node:http';

/** The same form as the SDK's, so that a client cannot distinguish the two paths. */
const HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  Connection: 'keep-alive',
  'X-Accel-Buffering': 'no',
};

/**
 * A reply as a stream of events. Its headers are sent after `headersAfterMs` at the latest; an answer that is
 * ready before that is sent in one piece with them.
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

  /** The client has left or has cancelled the call: nothing more is written. */
  abandon(): void {
    clearTimeout(this.#opening);
  }

  #open(): void {
    clearTimeout(this.#opening);
    if (this.#response.headersSent || this.#response.writableEnded) return;
    this.#response.writeHead(200, HEADERS);
    // A comment: the first byte of the body makes Node send the headers.
    this.#response.write(': held\n\n');
  }
}

function frame(message: object): string {
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`;
}
