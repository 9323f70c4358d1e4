import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from '../logger.ts';
import { addressGroup, isLoopbackAddress } from './address.ts';
import { refuseLateRequest } from './broken-http.ts';
import type { EdgeLimits } from './edge-limits.ts';

export interface ConnectionsOptions {
  readonly limits: EdgeLimits;
  /** The address stands for many clients: only the number of all connections limits it. */
  readonly isTrustedProxy: (address: string) => boolean;
  readonly logger: Logger;
}

interface Connection {
  /** Requests that were received and are not completely answered. */
  readonly answers: Set<ServerResponse>;
  idleSince: number;
  /** Bytes that had been received then: with more of them a request may have begun. */
  receivedBefore: number;
  /** It was idle, or an answer unread, for too long when it was last looked at. */
  isLate: boolean;
  /** Since when an answer waits for its reader; undefined: none does. */
  unreadSince: number | undefined;
}

const TELL_EVERY_MS = 60_000;

/**
 * The connections of one server: limits their number per address, and closes those that node's own time-outs
 * leave open (a client that trickles line feeds between two requests, one that never reads its answer).
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #open = new Map<Socket, Connection>();
  readonly #perGroup = new Map<string, number>();
  /** One whose request asked for an upgrade that is not made begins a second time. */
  readonly #counted = new WeakSet<Socket>();
  #refused = 0;
  #acknowledgedAt = Number.NEGATIVE_INFINITY;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  /** Call it before the server listens, and after the handler of upgrades was added. */
  watch(server: Server): void {
    server.maxConnections = this.#options.limits.total;
    server.on('connection', (socket) => this.#take(socket));
    server.on('request', (request, response) => this.#begin(request, response));
    let timer: NodeJS.Timeout | undefined;
    server.once('listening', () => {
      timer = setInterval(() => this.#closeLate(), this.#options.limits.checkMs).unref();
      // Not for the others: to listen alone would make node offer what nobody answers.
      if (server.listenerCount('upgrade') > 0)
        server.prependListener('upgrade', ({ socket }) => void this.#open.delete(socket));
    });
    server.once('close', () => clearInterval(timer));
  }

  #take(socket: Socket): void {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined) return;
    if (this.#counted.has(socket)) {
      this.#watch(socket);
      return;
    }
    const group = addressGroup(remoteAddress);
    const count = this.#perGroup.get(group) ?? 0;
    if (count >= this.#limitOf(remoteAddress)) {
      socket.destroy();
      this.#tellRefused(group);
      return;
    }
    this.#perGroup.set(group, count + 1);
    this.#counted.add(socket);
    this.#watch(socket);
    socket.once('close', () => {
      this.#open.delete(socket);
      const left = (this.#perGroup.get(group) ?? 1) - 1;
      if (left > 0) this.#perGroup.set(group, left);
      else this.#perGroup.delete(group);
    });
  }

  #watch(socket: Socket): void {
    this.#open.set(socket, {
      answers: new Set(),
      idleSince: performance.now(),
      receivedBefore: socket.bytesRead,
      isLate: false,
      unreadSince: undefined,
    });
  }

  #limitOf(address: string): number {
    const { limits, isTrustedProxy } = this.#options;
    if (isTrustedProxy(address)) return limits.total;
    return isLoopbackAddress(address) ? limits.perLoopback : limits.perAddress;
  }

  #begin(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const connection = this.#open.get(socket);
    if (!connection) return;
    connection.answers.add(response);
    response.once('close', () => {
      connection.answers.delete(response);
      connection.idleSince = performance.now();
      // What follows an early answer is the rest of its request.
      connection.receivedBefore = request.complete ? socket.bytesRead : Number.POSITIVE_INFINITY;
    });
  }

  #closeLate(): void {
    const { idleMs, unreadMs } = this.#options.limits;
    const now = performance.now();
    for (const [socket, connection] of this.#open) {
      const isUnread = [...connection.answers].some(
        (answer) => answer.writableEnded && !answer.writableFinished,
      );
      connection.unreadSince = isUnread ? (connection.unreadSince ?? now) : undefined;
      const isIdle = connection.answers.size === 0;
      const isLate =
        (isIdle && now - connection.idleSince > idleMs) ||
        (connection.unreadSince !== undefined && now - connection.unreadSince > unreadMs);
      // At the second look only: by then what came while this process was held up has been read.
      if (isLate && connection.isLate)
        this.#close(socket, isIdle && socket.bytesRead > connection.receivedBefore);
      connection.isLate = isLate;
    }
  }

  #close(socket: Socket, hasBegun: boolean): void {
    this.#open.delete(socket);
    if (hasBegun) refuseLateRequest(socket);
    else socket.destroy();
  }

  #tellRefused(address: string): void {
    this.#refused += 1;
    const now = performance.now();
    if (now - this.#acknowledgedAt < TELL_EVERY_MS) return;
    this.#options.logger.warn({ address, refused: this.#refused }, 'too many connections of one address');
    this.#acknowledgedAt = now;
    this.#refused = 0;
  }
}
