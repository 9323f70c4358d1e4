import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * A request of one connection is handled when the one before it has been answered. HTTP/1.1 lets a client send the
 * next one sooner; handled at once, it could overtake the first, whose caller had to be looked up. What still waits
 * when the connection goes is never handled, and nobody was told otherwise.
 */
export function handleInTurn(app: FastifyInstance): void {
  const last = new WeakMap<Socket, ServerResponse>();
  app.addHook('onRequest', ({ raw: { socket } }, { raw: response }, done) => {
    const before = last.get(socket);
    last.set(socket, response);
    if (!before || before.closed) done();
    else before.once('close', () => done());
  });
}
