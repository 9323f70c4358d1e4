import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** The types of answers that are sent in pieces. */
const IN_PIECES = new Set(['text/event-stream', 'application/x-ndjson']);

export function isSentInPieces(contentType: string | undefined): contentType is string {
  return contentType !== undefined && IN_PIECES.has(contentType);
}

/** Sends the pieces as they come. A client that does not read holds them back; one that leaves ends the iteration. */
export function sendInPieces(reply: FastifyReply, type: string, pieces: unknown): FastifyReply {
  if (!isIterable(pieces)) throw new Error('a route that sends pieces gave none');
  return (
    reply
      .type(type)
      // nginx collects a response before it sends it, unless this header says no.
      .header('x-accel-buffering', 'no')
      .send(Readable.from(pieces, { objectMode: false }))
  );
}

function isIterable(value: unknown): value is AsyncIterable<string> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
