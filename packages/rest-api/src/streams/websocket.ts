import { WS_CLOSE, WS_PATH } from '@aizuchi/shared/contract/ws';
import type { Person } from '@aizuchi/shared/core/access/person';
import type { Delta } from '@aizuchi/shared/platform/change-log/delta';
import { EVERYTHING, keys } from '@aizuchi/shared/platform/change-log/keys';
import type { Logger } from '@aizuchi/shared/platform/logger';
import websocket from '@fastify/websocket';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import { credentialsOf, sessionCookie } from '../plugins/credentials.ts';
import { notFound } from '../plugins/error-handler.ts';
import { notSignedIn } from '../plugins/gate.ts';
import type { Metrics } from '../plugins/metrics.ts';
import { Connection, type ConnectionOptions, type Opening } from './connection.ts';
import type { SubscriptionHub } from './hub.ts';
import { websocketUpgradesOf } from './upgrades.ts';

export interface SocketServerOptions {
  readonly connection: Omit<ConnectionOptions, 'hub' | 'onUnexpected' | 'onSlow'> & {
    readonly hub: SubscriptionHub;
  };
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** How long a viewer's lease lasts without renewal. */
  readonly viewerLeaseMs: () => Promise<number>;
}

const MAX_FRAME_BYTES = 64 * 1024;
const TICK_MS = 5_000;
/** Every fourth tick checks whether the peer is alive and the person still has access. */
const TICKS_PER_CHECK = 4;

/** All sockets of this process. */
export class SocketServer {
  readonly #options: SocketServerOptions;
  readonly #connections = new Set<Connection>();
  #timer: NodeJS.Timeout | undefined;
  #ticks = 0;
  #leasesRenewedAt = 0;

  constructor(options: SocketServerOptions) {
    this.#options = options;
  }

  /**
   * Must be called before any hook that may refuse a request: the plugin records which requests are upgrades, and
   * closes the connection of a refused upgrade, which would stay open for ever otherwise.
   */
  async prepare(app: FastifyInstance): Promise<void> {
    await app.register(websocket, {
      options: {
        maxPayload: MAX_FRAME_BYTES,
        perMessageDeflate: false,
        server: websocketUpgradesOf(app.server),
      },
      errorHandler: (error, socket) => {
        // The peer broke the protocol or the connection; it is not an error of ours.
        this.#options.logger.debug({ err: error }, 'socket failed');
        socket.terminate();
      },
      preClose: (done) => {
        this.stop();
        app.websocketServer.close(() => done());
      },
    });
  }

  addRoute(app: FastifyInstance): void {
    app.route({
      method: 'GET',
      url: WS_PATH,
      schema: { hide: true },
      config: { admit: (request) => this.#admit(request) },
      handler: () => {
        throw notFound();
      },
      wsHandler: (socket, request) => this.#open(socket, request),
    });
    this.#timer = setInterval(() => this.tick(), TICK_MS);
    this.#timer.unref();
  }

  onDelta(delta: Delta): void {
    this.#options.connection.hub.onDelta(delta);
  }

  /** The process's listener calls this, so that revoked tokens and lost rights take effect at once. */
  onKeys(dirty: readonly string[]): void {
    this.#options.connection.hub.onKeys(dirty);
    const callers = dirty.filter((key) => key !== EVERYTHING && key.startsWith(keys.caller('')));
    if (callers.length === 0) return;
    for (const connection of this.#connections) {
      const id = connection.personId;
      if (id !== undefined && callers.includes(keys.caller(id))) this.#inBackground(connection.recheck());
    }
  }

  /** Renews leases and checks peers and rights regularly, also because hints may be lost. */
  tick(): void {
    if (this.#connections.size === 0) return;
    this.#ticks += 1;
    this.#inBackground(this.#renewViewers());
    if (this.#ticks % TICKS_PER_CHECK !== 0) return;
    for (const connection of this.#connections) {
      connection.ping();
      this.#inBackground(connection.recheck());
    }
  }

  stop(): void {
    clearInterval(this.#timer);
    for (const connection of this.#connections) connection.close(WS_CLOSE.stopping, 'stopping');
  }

  /** A bearer is checked before the upgrade; a cookie is checked with the first frame. */
  async #admit(request: FastifyRequest): Promise<Person | undefined> {
    const credentials = credentialsOf(request);
    if (credentials) return this.#options.connection.identify(credentials);
    if (sessionCookie(request) === undefined) throw notSignedIn();
    return undefined;
  }

  #open(socket: WebSocket, request: FastifyRequest): void {
    const opening = openingOf(request);
    const { connection: options, logger, metrics } = this.#options;
    const connection = new Connection(socket, opening, {
      ...options,
      onUnexpected: (error) => logger.error({ err: error }, 'unexpected error on a socket'),
      onSlow: () => metrics.slowSockets.inc(),
    });
    this.#connections.add(connection);
    metrics.sockets.inc();
    socket.once('close', () => {
      this.#connections.delete(connection);
      metrics.sockets.dec();
    });
  }

  async #renewViewers(): Promise<void> {
    const now = performance.now();
    const before = this.#leasesRenewedAt;
    if (now - before < (await this.#options.viewerLeaseMs()) / 3 - TICK_MS / 2) return;
    this.#leasesRenewedAt = now;
    try {
      await Promise.all([...this.#connections].map((connection) => connection.renewViewers()));
    } catch (error) {
      this.#leasesRenewedAt = before;
      throw error;
    }
  }

  #inBackground(work: Promise<unknown>): void {
    // The next tick tries again; other code logs that the database is not available.
    work.catch((error: unknown) => this.#options.logger.debug({ err: error }, 'care of sockets failed'));
  }
}

function openingOf(request: FastifyRequest): Opening {
  const credentials = credentialsOf(request);
  if (credentials && request.person) return { credentials, person: request.person };
  return { cookie: sessionCookie(request) ?? '' };
}
