import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { z } from 'zod';

/** `break`: the connection ends without an answer. */
type Answer = 'break' | { readonly status: number; readonly body?: unknown };

/** Among the lines of a pull: the connection ends there. */
export const BROKEN_PULL = {};

const ipamSchema = z.object({ IPAM: z.object({ Config: z.array(z.looseObject({})) }).optional() });
const networkingSchema = z.looseObject({
  NetworkingConfig: z
    .object({
      EndpointsConfig: z.record(z.string(), z.object({ IPAMConfig: z.object({ IPv4Address: z.string() }) })),
    })
    .optional(),
});
const GONE: Answer = { status: 404, body: { message: 'No such container' } };

/** The outside world of the executor `docker`, with faults that a real engine shows only by chance. */
export class FakeEngine {
  /** The names of those that exist. */
  readonly containers = new Set<string>();
  /** How a program ends. */
  ended: Promise<{ readonly exitCode: number; readonly isOutOfMemory: boolean }> = Promise.resolve({
    exitCode: 0,
    isOutOfMemory: false,
  });
  /** How often it was asked for that. */
  waits = 0;
  /** What it says of the need of a container. */
  memoryStats: unknown = {};
  /** Somebody has begun to remove it: a second removal is refused until that is done. */
  readonly beingRemoved = new Set<string>();
  /** This container is made when its removal has found nothing: the order for it was under way. */
  makesLate: string | undefined;
  /** It has no image until a pull has ended well. */
  isImageMissing = false;
  /** What a pull answers: the lines as they come, or a refusal. */
  pull: AsyncIterable<object> | Iterable<object> | { readonly status: number; readonly message: string } = [];
  /** What was asked for. */
  readonly pulled: Record<string, string>[] = [];
  /** What the last container was made with. */
  made: unknown;
  /** All that was written to stdin of containers. */
  stdin = '';
  /** What its networks were made with, by their names. */
  readonly networks = new Map<string, object>();
  /** The address of its host in a network, and of each container in it. */
  gateway = '127.0.0.1';
  containerAddress = '127.0.0.1';
  /** The address of each container that is in the network of runs with a list. */
  readonly inNetwork = new Map<string, string>();
  /** It gets the address that it was made with. */
  isInItsNetwork = true;
  #imageId = 'sha256:1';
  #network: unknown;
  /** The address that a container is to have when it starts. */
  readonly #wanted = new Map<string, string>();
  readonly #faults = new Map<string, number>();
  readonly #lost = new Map<string, number>();
  readonly #folder: string;
  readonly #server: Server;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#server = createServer((request, response) => void this.#handle(request, response));
    this.#server.on('upgrade', (_request, socket) => {
      socket.write('HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n');
      socket.on('error', () => undefined);
      socket.on('end', () => socket.end());
      socket.on('data', (bytes) => {
        this.stdin += String(bytes);
      });
    });
  }

  static async open(): Promise<FakeEngine> {
    const engine = new FakeEngine(await mkdtemp(join(tmpdir(), 'engine-')));
    await new Promise<void>((resolve) => engine.#server.listen(engine.#socketPath, resolve));
    return engine;
  }

  get address(): string {
    return `unix://${this.#socketPath}`;
  }

  /** The connection of the next calls of this kind breaks; what they asked for is not done. */
  breakNext(call: string, times: number): void {
    this.#faults.set(call, times);
  }

  /** The same, and what they asked for is done. */
  loseNext(call: string, times: number): void {
    this.#lost.set(call, times);
  }

  /** The image has the same name, and is another one. */
  rebuild(): void {
    this.#imageId = 'sha256:2';
  }

  async close(): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve));
    await rm(this.#folder, { recursive: true });
  }

  get #socketPath(): string {
    return join(this.#folder, 'docker.sock');
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', 'http://engine');
    const isBodyRead = /^\/(containers|networks)\/create$/.test(url.pathname);
    const body = isBodyRead ? await json(request) : request.resume();
    if (url.pathname === '/containers/create') this.#make(url.searchParams.get('name') ?? '', body);
    if (url.pathname === '/networks/create') this.#network = body;
    if (url.pathname === '/images/create') return this.#pull(url, response);
    const call = callOf(request.method ?? '', url);
    const answer = isNext(this.#faults, call) ? 'break' : await this.#answer(request.method ?? '', url);
    if (answer === 'break' || isNext(this.#lost, call)) response.destroy();
    else response.writeHead(answer.status).end(JSON.stringify(answer.body));
  }

  #make(name: string, body: unknown): void {
    this.made = body;
    const [found] = Object.values(networkingSchema.parse(body).NetworkingConfig?.EndpointsConfig ?? {});
    if (!found || !this.isInItsNetwork) return;
    this.containerAddress = found.IPAMConfig.IPv4Address;
    this.#wanted.set(name, this.containerAddress);
  }

  async #pull({ searchParams }: URL, response: ServerResponse): Promise<void> {
    this.pulled.push(Object.fromEntries(searchParams));
    if ('status' in this.pull) {
      response.writeHead(this.pull.status).end(JSON.stringify({ message: this.pull.message }));
      return;
    }
    response.writeHead(200).flushHeaders();
    let isWell = true;
    for await (const line of this.pull) {
      if (line === BROKEN_PULL) return void response.destroy();
      response.write(`${JSON.stringify(line)}\r\n`);
      isWell &&= !('error' in line);
    }
    if (isWell) this.isImageMissing = false;
    response.end();
  }

  async #answer(method: string, url: URL): Promise<Answer> {
    const { pathname, searchParams } = url;
    const [, , name = ''] = pathname.split('/');
    const call = callOf(method, url);
    if (pathname.startsWith('/networks')) return this.#answerOfNetwork(method, name);
    if (call === 'create' && this.isImageMissing)
      return { status: 404, body: { message: 'No such image: it' } };
    if (call === 'create') {
      const made = searchParams.get('name') ?? '';
      if (this.containers.has(made)) return { status: 409, body: { message: 'the name is in use' } };
      this.containers.add(made);
      return { status: 201, body: {} };
    }
    if (pathname === '/containers/json') {
      return { status: 200, body: [...this.containers].map((one) => ({ Names: [`/${one}`] })) };
    }
    if (pathname.startsWith('/images/'))
      return this.isImageMissing ? GONE : { status: 200, body: { Id: this.#imageId } };
    if (!this.containers.has(name)) {
      if (call === 'remove' && name === this.makesLate) {
        this.makesLate = undefined;
        this.containers.add(name);
      }
      return GONE;
    }
    if (call === 'rename') {
      this.containers.delete(name);
      this.containers.add(searchParams.get('name') ?? '');
      return { status: 204 };
    }
    if (call === 'remove' && this.beingRemoved.has(name))
      return { status: 409, body: { message: `removal of container ${name} is already in progress` } };
    if (call === 'remove') this.#remove(name);
    if (call === 'wait' && searchParams.get('condition') === 'removed') {
      this.#remove(name);
      return { status: 200, body: { StatusCode: 137 } };
    }
    if (call === 'wait') {
      this.waits += 1;
      return { status: 200, body: { StatusCode: (await this.ended).exitCode } };
    }
    if (call === 'stats') return { status: 200, body: { memory_stats: this.memoryStats } };
    if (call === 'start') return this.#start(name);
    return call === 'json' ? this.#show() : { status: 204 };
  }

  #start(name: string): Answer {
    const address = this.#wanted.get(name);
    if (address === undefined) return { status: 204 };
    if ([...this.inNetwork.values()].includes(address))
      return { status: 403, body: { message: 'Address already in use' } };
    this.inNetwork.set(name, address);
    return { status: 204 };
  }

  #remove(name: string): void {
    this.containers.delete(name);
    this.inNetwork.delete(name);
    this.#wanted.delete(name);
  }

  async #show(): Promise<Answer> {
    const end = await Promise.race([this.ended, undefined]);
    const State = { Pid: 0, OOMKilled: end?.isOutOfMemory ?? false, Running: end === undefined };
    const NetworkID = [...this.networks.keys()].map(idOf)[0] ?? 'bridge';
    const Networks = { it: { NetworkID, IPAddress: this.containerAddress } };
    return { status: 200, body: { Image: 'sha256:1', State, NetworkSettings: { Networks } } };
  }

  #answerOfNetwork(method: string, name: string): Answer {
    if (name === '') return { status: 200, body: [...this.networks.keys()].map((Name) => ({ Name })) };
    if (name === 'create') {
      const made = z.looseObject({ Name: z.string() }).parse(this.#network);
      if (this.networks.has(made.Name)) return { status: 409, body: { message: 'network exists already' } };
      this.networks.set(made.Name, made);
      return { status: 201, body: { Id: idOf(made.Name) } };
    }
    const network = this.networks.get(name);
    if (!network) return { status: 404, body: { message: 'no such network' } };
    if (method === 'DELETE' && this.inNetwork.size > 0)
      return { status: 403, body: { message: 'it has active endpoints' } };
    if (method === 'DELETE') this.networks.delete(name);
    const [asked = {}] = ipamSchema.parse(network).IPAM?.Config ?? [];
    const IPAM = { Config: [{ Subnet: '127.0.0.0/8', Gateway: this.gateway, ...asked }] };
    const Containers = Object.fromEntries(
      [...this.inNetwork].map(([Name, address]) => [`id-of-${Name}`, { Name, IPv4Address: `${address}/8` }]),
    );
    return method === 'DELETE'
      ? { status: 204 }
      : { status: 200, body: { ...network, Id: idOf(name), IPAM, Containers } };
  }
}

function callOf(method: string, { pathname }: URL): string {
  const [, , name = '', verb = ''] = pathname.split('/');
  return method === 'DELETE' ? 'remove' : verb || name;
}

function isNext(faults: Map<string, number>, call: string): boolean {
  const left = faults.get(call) ?? 0;
  faults.set(call, left - 1);
  return left > 0;
}

function idOf(network: string): string {
  return `id-of-${network}`;
}
