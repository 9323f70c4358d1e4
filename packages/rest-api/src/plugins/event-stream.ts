import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

export const EVENT_STREAM = 'text/event-stream';

/** Sends the pieces as they come. A client that does not read holds them back; one that leaves ends the iteration. */
export function sendEventStream(reply: FastifyReply, pieces: unknown): FastifyReply {
  if (!isIterable(pieces)) throw new Error('a route of server-sent events gave no events');
  return (
    reply
      .type(EVENT_STREAM)
      // nginx collects a response before it sends it, unless this header says no.
      .header('x-accel-buffering', 'no')
      .send(Readable.from(pieces, { objectMode: false }))
  );
}

function isIterable(value: unknown): value is AsyncIterable<string> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
