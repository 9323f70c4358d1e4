import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { egressProxy } from '../src/executor/docker/egress/egress-proxy.ts';
import { KeptRuns } from '../src/executor/docker/egress/kept-runs.ts';
import { mcpRelay } from '../src/executor/docker/egress/mcp-relay.ts';
import type { Resolve } from '../src/executor/docker/egress/resolve.ts';
import { RUN_ERRORS } from '../src/texts/run-errors.ts';

/** Of the container of the run, and of somebody else on the same host. */
const RUN_ADDRESS = '127.0.0.1';
export const OTHER_ADDRESS = '127.0.0.3';

/** Of the run. */
export const SECRET = 'Sk-a-key-of-the-run';

/** The names of this world. All that lead to this host are private, so a list has to name its address too. */
const NAMES: Readonly<Record<string, string>> = {
  'allowed.example': '127.0.0.1',
  'rebind.example': '127.0.0.1',
  'cloud.example': '169.254.169.254',
  'intranet.example': '10.1.2.3',
  'mapped.example': '::ffff:127.0.0.1',
  'ula.example': 'fd00::1',
};

export interface Seen {
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** The proxy and the relay as they are, between sockets and a server that answers. */
export class EgressWorld {
  readonly runs = new KeptRuns(RUN_ERRORS.en);
  /** What has reached the server. */
  readonly seen: Seen[] = [];
  /** The names that were asked for. */
  readonly resolved: string[] = [];
  /** In the log of the run. */
  readonly said: string[] = [];
  readonly #servers: Server[] = [];
  readonly #sockets = new Set<Socket>();
  proxyPort = 0;
  relayPort = 0;
  /** Of the server that the list names. */
  port = 0;
  /** Of one that it does not name. */
  otherPort = 0;

  static async open({ idleMs }: { idleMs?: number } = {}): Promise<EgressWorld> {
    const world = new EgressWorld();
    world.port = await world.#listen(world.#server());
    world.otherPort = await world.#listen(world.#server());
    const resolve: Resolve = async (name) => {
      world.resolved.push(name);
      const address = NAMES[name];
      if (address === undefined) throw Object.assign(new Error(name), { code: 'ENOTFOUND' });
      return [{ address, family: address.includes(':') ? 6 : 4 }];
    };
    world.proxyPort = await world.#listen(egressProxy({ runs: world.runs, resolve, idleMs }));
    const to = { host: '127.0.0.1', port: world.port };
    world.relayPort = await world.#listen(mcpRelay({ runs: world.runs, to }));
    return world;
  }

  /** Lets a run in; returns what ends it. */
  admit(egress: readonly string[] = this.list): () => void {
    const log = { write: async (chunk: Buffer) => void this.said.push(String(chunk)) };
    return this.runs.add(RUN_ADDRESS, { egress, log, secrets: [SECRET] });
  }

  get list(): string[] {
    return [
      `allowed.example:${this.port}`,
      `127.0.0.1:${this.port}`,
      '*.below.example',
      'rebind.example',
      'cloud.example:80',
      'intranet.example',
      'mapped.example',
      'ula.example',
      'nowhere.example',
    ];
  }

  async connect(port = this.proxyPort, from = RUN_ADDRESS): Promise<Socket> {
    const socket = await connectFrom({ host: '127.0.0.1', port, from });
    this.#sockets.add(socket);
    return socket;
  }

  /** All that is answered to these bytes until the connection ends. */
  async say(bytes: string, { port = this.proxyPort, from = RUN_ADDRESS } = {}): Promise<string> {
    const socket = await this.connect(port, from);
    socket.write(bytes);
    return readAll(socket);
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(
      this.#servers.map((server) => new Promise((resolve) => server.close(() => resolve(undefined)))),
    );
  }

  #server(): Server {
    return createHttpServer(async (request, response) => {
      const body = await text(request);
      this.seen.push({ url: request.url, headers: request.headers, body });
      response.end(`seen ${request.url}`);
    });
  }

  async #listen(server: Server): Promise<number> {
    this.#servers.push(server);
    server.listen({ host: '127.0.0.1', port: 0 });
    await once(server, 'listening');
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
    });
    return (server.address() as AddressInfo).port;
  }
}

/** A connection that is not ended when the other side ends its half. */
export async function connectFrom(way: { host: string; port: number; from: string }): Promise<Socket> {
  const { host, port, from: localAddress } = way;
  const socket = connect({ host, port, localAddress, allowHalfOpen: true });
  await once(socket, 'connect');
  socket.on('error', () => undefined);
  return socket;
}

/** What comes until the connection ends or breaks. */
export async function readAll(socket: Socket): Promise<string> {
  let all = '';
  socket.on('data', (chunk) => {
    all += String(chunk);
  });
  if (!socket.readableEnded && !socket.destroyed)
    await new Promise((resolve) => socket.once('end', resolve).once('close', resolve));
  return all;
}

/** Resolves when this has come. */
export function readUntil(socket: Socket, wanted: string): Promise<string> {
  let all = '';
  return new Promise((resolve, reject) => {
    socket.on('data', (chunk) => {
      all += String(chunk);
      if (all.includes(wanted)) resolve(all);
    });
    const fail = () => reject(new Error(`ended after ${JSON.stringify(all)}`));
    socket.once('end', fail);
    socket.once('close', fail);
  });
}
