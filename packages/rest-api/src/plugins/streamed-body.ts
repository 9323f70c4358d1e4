import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { refuseBrokenHttp } from '@aizuchi/shared/platform/http/broken-http';
import type { FastifyInstance, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** The body of a route that reads it itself, in pieces; empty when there is none. */
    readPieces: (() => AsyncGenerator<Buffer>) | undefined;
  }
}

/** Sockets whose request may take as long as its sender sends. */
export class StreamedBodies {
  readonly #stallMs: number;
  readonly #open = new WeakSet<Socket>();

  /** `stallMs`: how long a sender may send nothing while it is read. */
  constructor(stallMs: number) {
    this.#stallMs = stallMs;
  }

  /** For `clientError`: the limit of a whole request is not one for these. */
  refuse(error: Error & { code?: string }, socket: Socket): void {
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && this.#open.has(socket)) return;
    refuseBrokenHttp(error, socket);
  }

  register(app: FastifyInstance): void {
    app.decorateRequest('readPieces', undefined);
    app.addHook('preHandler', (request, _reply, done) => {
      if (request.routeOptions.config.route?.streamed !== undefined)
        request.readPieces = () => this.#piecesOf(request);
      done();
    });
  }

  async *#piecesOf({ body, raw }: FastifyRequest): AsyncGenerator<Buffer> {
    if (!(body instanceof Readable)) return;
    const { socket } = raw;
    this.#open.add(socket);
    let isWaiting = true;
    let timer: NodeJS.Timeout | undefined;
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        const { bytesRead } = socket;
        // What came while this process was held up is read first.
        setImmediate(() => {
          if (!isWaiting) return;
          if (socket.bytesRead === bytesRead) body.destroy(new Error('the client sends nothing'));
          else wait();
        });
      }, this.#stallMs);
    };
    wait();
    try {
      // Not destroyed when the reader ends early: its refusal would not reach the client.
      for await (const piece of body.iterator({ destroyOnReturn: false })) {
        isWaiting = false;
        clearTimeout(timer);
        yield Buffer.from(piece);
        isWaiting = true;
        wait();
      }
    } finally {
      isWaiting = false;
      clearTimeout(timer);
      this.#open.delete(socket);
      // Many clients read the answer only after they have sent everything.
      body.resume();
    }
  }
}
