import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { z } from 'zod';
import { NOWHERE } from '../src/executor/swarm/service-spec.ts';

/** What the manager says of a task. */
export interface FakeStatus {
  readonly State: string;
  readonly Err?: string;
  readonly ContainerStatus?: { readonly PID?: number; readonly ExitCode?: number };
}

const specSchema = z.looseObject({
  Name: z.string(),
  TaskTemplate: z.looseObject({ Placement: z.object({ Constraints: z.array(z.string()) }) }).optional(),
});
type Spec = z.infer<typeof specSchema>;
const NODE = 'node-id';

/** The outside world of the executor `swarm`, with what a real one shows only when hosts break. */
export class FakeManager {
  readonly services = new Map<string, Spec>();
  readonly secrets = new Set<string>();
  /** How every task begins, and what is said of it then. */
  status: FakeStatus = { State: 'running', ContainerStatus: { PID: 5 } };
  nodeState = 'ready';
  /** Changes and removals of services, in their order. */
  readonly changes: string[] = [];
  removedAt = 0;
  readonly #broken = new Map<string, number>();
  readonly #folder: string;
  readonly #server: Server;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#server = createServer((request, response) => void this.#handle(request, response));
  }

  static async open(): Promise<FakeManager> {
    const manager = new FakeManager(await mkdtemp(join(tmpdir(), 'manager-')));
    await new Promise<void>((resolve) => manager.#server.listen(manager.#socketPath, resolve));
    return manager;
  }

  get address(): string {
    return `unix://${this.#socketPath}`;
  }

  get left(): string[] {
    return [...this.services.keys(), ...this.secrets];
  }

  /** The connection of the next calls `POST /services/create` and the like breaks; what they asked for is not done. */
  breakNext(call: string, times: number): void {
    this.#broken.set(call, times);
  }

  async close(): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve));
    await rm(this.#folder, { recursive: true });
  }

  get #socketPath(): string {
    return join(this.#folder, 'docker.sock');
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '' } = request;
    const { pathname } = new URL(request.url ?? '', 'http://manager');
    const body = method === 'POST' ? specSchema.parse(await json(request)) : undefined;
    const call = `${method} ${pathname}`;
    const faults = this.#broken.get(call) ?? 0;
    this.#broken.set(call, faults - 1);
    if (faults > 0) return void response.destroy();
    const answer = body ? this.#change(pathname, body) : this.#answer(method, pathname);
    if (answer === undefined) response.writeHead(404).end(JSON.stringify({ message: 'not found' }));
    // An answer to a removal has no body.
    else if (answer === '') response.writeHead(200, { 'Content-Length': 0 }).end();
    else response.writeHead(200).end(JSON.stringify(answer));
  }

  #change(path: string, spec: Spec): unknown {
    if (path === '/secrets/create') this.secrets.add(spec.Name);
    else this.services.set(spec.Name, spec);
    if (path.endsWith('/update')) this.changes.push('update');
    if (spec.TaskTemplate?.Placement.Constraints.includes(NOWHERE))
      this.status = { State: 'shutdown', ContainerStatus: { ExitCode: 143 } };
    return { ID: spec.Name };
  }

  #answer(method: string, path: string): unknown {
    const [, kind = '', name] = path.split('/');
    if (path.endsWith('/logs')) return '';
    if (kind === 'nodes')
      return [{ ID: NODE, Status: { State: this.nodeState }, Description: { Hostname: 'node-2' } }];
    if (kind === 'tasks') return [...this.services.keys()].map((one) => this.#taskOf(one));
    const all = kind === 'services' ? this.services : this.secrets;
    if (name === undefined) return [...all.keys()].map((one) => ({ Spec: { Name: one } }));
    if (method === 'DELETE' && kind === 'services') {
      this.changes.push(`removed when ${this.status.State}`);
      this.removedAt = performance.now();
    }
    if (method === 'DELETE') return all.delete(name) ? '' : undefined;
    const Spec = this.services.get(name);
    return Spec && { ID: name, Version: { Index: 1 }, Spec };
  }

  #taskOf(service: string) {
    return {
      ID: `${service}-task`,
      ServiceID: service,
      NodeID: NODE,
      DesiredState: 'running',
      Status: this.status,
    };
  }
}
