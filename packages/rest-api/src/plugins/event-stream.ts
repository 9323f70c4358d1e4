import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** The types of answers whose handler gives their pieces. */
const STREAMED: ReadonlySet<string | undefined> = new Set(['text/event-stream', 'application/x-ndjson']);

export function isStreamed(contentType: string | undefined): contentType is string {
  return STREAMED.has(contentType);
}

/** Sends the pieces as they come. A client that does not read holds them back; one that leaves ends the iteration. */
export function sendPieces(reply: FastifyReply, contentType: string, pieces: unknown): FastifyReply {
  if (!isIterable(pieces)) throw new Error('a route of a stream gave no pieces');
  return (
    reply
      .type(contentType)
      // nginx collects a response before it sends it, unless this header says no.
      .header('x-accel-buffering', 'no')
      .send(Readable.from(pieces, { objectMode: false }))
  );
}

function isIterable(value: unknown): value is AsyncIterable<string> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
