import type { ServerResponse } from 'node:http';

/** As the SDK answers, so that a client cannot tell the two ways apart. */
const HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  Connection: 'keep-alive',
  'X-Accel-Buffering': 'no',
};

/** A reply as a stream of events whose headers are on the wire at once: real clients give up without them. */
export class SseReply {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
    response.writeHead(200, HEADERS);
    // A comment: the first body byte takes the headers along.
    response.write(': held\n\n');
  }

  message(message: object): void {
    this.#response.write(frame(message));
  }

  end(message: object): void {
    this.#response.end(frame(message));
  }
}

function frame(message: object): string {
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`;
}
