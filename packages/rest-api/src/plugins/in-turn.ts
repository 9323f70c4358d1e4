import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * How many requests may wait on one connection. No client of ours needs more, and without a limit they fill the
 * memory.
 */
export const MAX_WAITING = 32;

interface Line {
  last: ServerResponse;
  waiting: number;
}

/**
 * Handles the requests of one connection one after the other. HTTP/1.1 allows a client to send a request before the
 * previous one is answered; handled at once, it could overtake the previous one while the caller of that one is
 * looked up. Requests that still wait when the connection closes are never handled; they were never acknowledged
 * either. A connection that sends too many is closed.
 */
export function handleInTurn(app: FastifyInstance): void {
  const lines = new WeakMap<Socket, Line>();
  app.addHook('onRequest', ({ raw: { socket } }, { raw: response }, done) => {
    const line = lines.get(socket);
    if (!line || line.last.closed) {
      lines.set(socket, { last: response, waiting: 0 });
      return done();
    }
    if (line.waiting >= MAX_WAITING) return void socket.destroy();
    const before = line.last;
    line.last = response;
    line.waiting += 1;
    before.once('close', () => {
      line.waiting -= 1;
      done();
    });
  });
}
