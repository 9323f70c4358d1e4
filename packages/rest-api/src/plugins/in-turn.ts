import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** More requests of one connection that wait is no client of ours; without a limit they fill the memory. */
export const MOST_WAITING = 32;

interface Line {
  last: ServerResponse;
  waiting: number;
}

/**
 * A request of one connection is handled when the one before it has been answered. HTTP/1.1 lets a client send the
 * next one sooner; handled at once, it could overtake the first, whose caller had to be looked up. What still waits
 * when the connection goes is never handled, and nobody was told otherwise; a connection that sends too many is closed.
 */
export function handleInTurn(app: FastifyInstance): void {
  const lines = new WeakMap<Socket, Line>();
  app.addHook('onRequest', ({ raw: { socket } }, { raw: response }, done) => {
    const line = lines.get(socket);
    if (!line || line.last.closed) {
      lines.set(socket, { last: response, waiting: 0 });
      return done();
    }
    if (line.waiting >= MOST_WAITING) return void socket.destroy();
    const before = line.last;
    line.last = response;
    line.waiting += 1;
    before.once('close', () => {
      line.waiting -= 1;
      done();
    });
  });
}
