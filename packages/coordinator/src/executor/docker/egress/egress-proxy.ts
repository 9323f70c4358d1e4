import { createServer, type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import { connect } from 'node:net';
import { finished } from 'node:stream/promises';
import { type ForwardDeps, forward } from './forward.ts';
import { inTurn } from './in-turn.ts';
import { IDLE_MS, joinSockets } from './joined-sockets.ts';
import type { KeptRuns } from './kept-runs.ts';
import { codeOf, wayTo } from './reach.ts';
import { type Resolve, resolveByHost } from './resolve.ts';

interface ProxyOptions {
  readonly runs: KeptRuns;
  readonly resolve?: Resolve | undefined;
  readonly idleMs?: number | undefined;
}

/** A connection that says nothing, or never ends its headers. */
const HEADERS_MS = 15_000;
const CHECK_MS = 5_000;
/** As a client of a proxy writes it: no person, no path. An address of IPv6 in brackets. */
const CONNECT_TARGET = /^([^:[\]@/?#\s]{1,255}|\[[0-9a-fA-F:.]{2,45}\]):(\d{1,5})$/;

/**
 * The HTTP proxy of runs that are kept to a list: CONNECT, and plain HTTP. Each request is looked at by itself, also on a
 * connection that had others, and has a connection of its own to its host. By hand: docs/design/libraries.md.
 */
export function egressProxy({ runs, resolve = resolveByHost, idleMs = IDLE_MS }: ProxyOptions): Server {
  const server = createServer({
    headersTimeout: HEADERS_MS,
    // A body may be long: what stands still is idle.
    requestTimeout: 0,
    connectionsCheckingInterval: CHECK_MS,
  });
  server.timeout = idleMs;
  const deps: ForwardDeps = {
    runOf: (socket) => runs.of(socket),
    wayOf: (run, target) => wayTo(target, { run, texts: runs.texts, resolve }),
  };
  server.on('connection', (socket) => {
    socket.on('error', () => undefined);
    runs.admit(socket);
  });
  server.on('connect', (request: IncomingMessage, _socket, head: Buffer) => {
    if (head.length > 0) request.socket.unshift(head);
    tunnel(request, deps, idleMs).catch(() => request.socket.destroy());
  });
  const take = inTurn();
  server.on('request', (request, response) => {
    const isTaken = take(request.socket, async () => {
      await forward(request, response, deps);
      // One that breaks off ends its connection, and all that wait on it.
      await finished(response).catch(() => undefined);
    });
    if (!isTaken) request.socket.destroy();
  });
  server.on('clientError', (_error, socket) => {
    if (!socket.writable) return void socket.destroy();
    socket.end(plainAnswer(400, 'not a request'), () => socket.destroy());
  });
  return server;
}

async function tunnel(
  { url = '', socket: near }: IncomingMessage,
  { runOf, wayOf }: ForwardDeps,
  idleMs: number,
): Promise<void> {
  const end = (status: number, text: string) => {
    near.end(plainAnswer(status, text));
    near.destroySoon();
  };
  const run = runOf(near);
  const [, host = '', port] = CONNECT_TARGET.exec(url) ?? [];
  if (!run || port === undefined) return end(400, 'CONNECT host:port');
  const found = await wayOf(run, { host, port: Number(port) });
  if ('status' in found) return end(found.status, found.text);
  if (near.destroyed) return;
  const far = connect({ ...found, allowHalfOpen: true });
  run.add(far);
  const cut = () => far.destroy();
  const fail = (error: Error) => end(502, codeOf(error));
  near.once('close', cut);
  far.once('error', fail);
  far.once('connect', () => {
    near.off('close', cut);
    far.off('error', fail);
    near.write('HTTP/1.1 200 Connection established\r\n\r\n');
    joinSockets(near, far, idleMs);
  });
}

function plainAnswer(status: number, text: string): string {
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${text}\n`;
}
