import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { z } from 'zod';
import { FakeKubelet, podSpecSchema, type SecretData } from './fake-kubelet.ts';

/** `break`: the connection ends, and nothing was done; `unanswered`: it was done. A number is the status of a refusal. */
type Fault = 'break' | 'unanswered' | number;

const metadataSchema = z.looseObject({
  name: z.string(),
  labels: z.record(z.string(), z.string()),
});
const templateSchema = z.object({
  metadata: z.object({ labels: z.record(z.string(), z.string()) }),
  spec: podSpecSchema,
});
/** Of a Job or a secret. */
const bodySchema = z.looseObject({
  metadata: metadataSchema,
  data: z.record(z.string(), z.string()).optional(),
  spec: z.looseObject({ template: templateSchema }).optional(),
});
type Body = z.infer<typeof bodySchema>;

interface FakePod {
  object: {
    kind: 'Pod';
    apiVersion: 'v1';
    metadata: {
      name: string;
      labels: Record<string, string>;
      resourceVersion: string;
      deletionTimestamp?: string;
    };
    spec: Record<string, unknown>;
    status: object;
  };
  job: string;
  graceMs: number;
  kubelet?: FakeKubelet | undefined;
}

interface Told {
  readonly version: number;
  readonly line: string;
  readonly labels: Readonly<Record<string, string>>;
}
interface Watcher {
  readonly selector: string;
  readonly response: ServerResponse;
}

const TOKEN = 'token-of-the-coordinator';
const NODE = 'node-2';
const RUNNING = { phase: 'Running', containerStatuses: [{ state: { running: {} } }] };

/** The API of a cluster, its scheduler and one node: the outside world of the executor `kubernetes`. */
export class FakeCluster {
  readonly jobs = new Map<string, Body>();
  readonly secrets = new Map<string, Body>();
  readonly pods = new Map<string, FakePod>();
  /** How pods begin; undefined: their container runs. A pod without a node waits for one. */
  status: object | undefined;
  node: string | undefined = NODE;
  /** No pod is made of a Job, such as for want of quota. */
  isWithoutPods = false;
  /** Nothing is removed: its node does not answer. */
  isNodeAway = false;
  /** What is said of an object, by its name or a beginning of it. */
  readonly words = new Map<string, string>();
  /** What was asked for: kinds and methods, and the queries of deletions. */
  readonly calls: string[] = [];
  readonly #faults = new Map<string, Fault[]>();
  readonly #history: Told[] = [];
  readonly #watchers = new Set<Watcher>();
  #version = 1;
  readonly #folder: string;
  readonly #server: Server;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#server = createServer((request, response) => void this.#handle(request, response));
  }

  static async open(): Promise<FakeCluster> {
    const cluster = new FakeCluster(await mkdtemp(join(tmpdir(), 'cluster-')));
    await new Promise<void>((resolve) => cluster.#server.listen(0, '127.0.0.1', resolve));
    const { port } = z.object({ port: z.number() }).parse(cluster.#server.address());
    await writeFile(cluster.configFile, JSON.stringify(kubeconfig(`http://127.0.0.1:${port}`)));
    return cluster;
  }

  get configFile(): string {
    return join(this.#folder, 'config');
  }

  /** All that exists. */
  get left(): string[] {
    return [...this.jobs.keys(), ...this.secrets.keys(), ...this.pods.keys()];
  }

  /** The next calls of this kind fail, each in its way. */
  fail(call: string, ...faults: Fault[]): void {
    this.#faults.set(call, faults);
  }

  /** Says of all pods what has become of them. */
  tell(status: object, metadata: { readonly deletionTimestamp?: string } = {}): void {
    for (const pod of this.pods.values()) {
      pod.object.status = status;
      Object.assign(pod.object.metadata, metadata);
      this.#emit('MODIFIED', pod);
    }
  }

  /** Every watch ends, as after a restart of the API; `isForgotten`: with what happened before. */
  cut({ isForgotten = false } = {}): void {
    for (const { response } of this.#watchers) {
      if (isForgotten) response.write(`${JSON.stringify({ type: 'ERROR', object: refusal(410) })}\n`);
      response.end();
    }
    this.#watchers.clear();
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    await rm(this.#folder, { recursive: true });
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '' } = request;
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://cluster');
    const [kind = '', name = '', part] = pathname.replace(/^.*\/namespaces\/[^/]+\//, '').split('/');
    const isMetrics = pathname.startsWith('/apis/metrics.k8s.io/');
    const what = part ?? (isMetrics ? 'metrics' : kind);
    const call = searchParams.get('watch') === 'true' ? `WATCH ${what}` : `${method} ${what}`;
    const body = method === 'POST' ? bodySchema.parse(await json(request)) : undefined;
    this.calls.push(method === 'DELETE' ? `${call} ${name}?${searchParams}` : call);
    const fault = this.#faults.get(call)?.shift();
    if (fault === 'break') return void response.destroy();
    if (typeof fault === 'number') return answer(response, fault, refusal(fault));
    if (request.headers.authorization !== `Bearer ${TOKEN}`) return answer(response, 401, refusal(401));
    if (call === 'WATCH pods') return this.#watch(searchParams, response);
    if (what === 'log') return this.#log(name, searchParams.get('follow') === 'true', response);
    const found = body
      ? this.#create(kind, body, searchParams.get('dryRun') === 'All')
      : await this.#answer(call, name, searchParams);
    if (fault === 'unanswered') return void response.destroy();
    answer(
      response,
      typeof found === 'number' ? found : 200,
      typeof found === 'number' ? refusal(found) : found,
    );
  }

  #create(kind: string, body: Body, isTrial: boolean): object | number {
    const all = kind === 'jobs' ? this.jobs : this.secrets;
    const { name } = body.metadata;
    if (all.has(name)) return 409;
    if (isTrial) return body;
    all.set(name, body);
    if (kind === 'jobs' && !this.isWithoutPods) this.#place(name, body);
    return body;
  }

  async #answer(call: string, name: string, query: URLSearchParams): Promise<object | number> {
    const selector = query.get('labelSelector') ?? '';
    const listed = (items: Iterable<{ metadata: { labels: Readonly<Record<string, string>> } }>) => ({
      metadata: { resourceVersion: String(this.#version) },
      items: [...items].filter(({ metadata }) => isSelected(metadata.labels, selector)),
    });
    switch (call) {
      case 'GET jobs':
        return listed(this.jobs.values());
      case 'GET secrets':
        return listed(this.secrets.values());
      case 'GET pods':
        return listed([...this.pods.values()].map(({ object }) => object));
      case 'GET events':
        return { metadata: {}, items: this.#wordsOf(query.get('fieldSelector') ?? '') };
      case 'GET metrics':
        return this.#metricsOf(name);
      case 'DELETE secrets':
        return this.secrets.delete(name) ? {} : 404;
      case 'DELETE jobs':
        return this.#deleteJob(name);
      case 'DELETE pods':
        return this.#deletePod(name, Number(query.get('gracePeriodSeconds')) * 1_000);
      default:
        return 404;
    }
  }

  #wordsOf(selector: string): object[] {
    const [, name = ''] = selector.split('=');
    const found = [...this.words].filter(([beginning]) => name.startsWith(beginning));
    return found.map(([, message]) => ({ metadata: { name: 'event' }, involvedObject: { name }, message }));
  }

  async #metricsOf(name: string): Promise<object | number> {
    const memory = await this.pods.get(name)?.kubelet?.memory();
    return memory ? { containers: [{ name: 'agent', usage: { cpu: '1n', memory } }] } : 404;
  }

  /** The controller makes a pod of a Job, the scheduler gives it a node, the node runs it. */
  #place(job: string, { spec }: Body): void {
    const { metadata, spec: parsed } = templateSchema.parse(spec?.template);
    const { labels } = metadata;
    const pod: FakePod = {
      job,
      graceMs: (parsed.terminationGracePeriodSeconds ?? 30) * 1_000,
      object: {
        kind: 'Pod',
        apiVersion: 'v1',
        metadata: { name: `${job}-x7k2p`, labels, resourceVersion: '0' },
        spec: { ...parsed, ...(this.node !== undefined && { nodeName: this.node }) },
        status: this.status ?? { phase: 'Pending' },
      },
    };
    this.pods.set(pod.object.metadata.name, pod);
    this.#emit('ADDED', pod);
    if (this.status === undefined) void this.#run(pod, parsed);
  }

  async #run(pod: FakePod, spec: z.infer<typeof podSpecSchema>): Promise<void> {
    const { labels } = pod.object.metadata;
    const secret: SecretData = this.secrets.get(pod.job)?.data ?? {};
    pod.kubelet = await FakeKubelet.run(labels, spec, secret);
    pod.object.status = RUNNING;
    this.#emit('MODIFIED', pod);
    const exitCode = await pod.kubelet.ended;
    const terminated = { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error' };
    pod.object.status = {
      phase: exitCode === 0 ? 'Succeeded' : 'Failed',
      containerStatuses: [{ state: { terminated } }],
    };
    this.#emit('MODIFIED', pod);
  }

  #deleteJob(name: string): object | number {
    if (!this.jobs.delete(name)) return 404;
    for (const pod of this.pods.values())
      if (pod.job === name) void this.#deletePod(pod.object.metadata.name, pod.graceMs);
    return {};
  }

  #deletePod(name: string, graceMs: number): object | number {
    const pod = this.pods.get(name);
    if (!pod) return 404;
    pod.object.metadata.deletionTimestamp ??= new Date(Date.now() + graceMs).toISOString();
    this.#emit('MODIFIED', pod);
    if (!this.isNodeAway)
      void (pod.kubelet?.stop(graceMs) ?? Promise.resolve()).then(() => {
        if (this.pods.delete(name)) this.#emit('DELETED', pod);
      });
    return pod.object;
  }

  #log(name: string, isFollowing: boolean, response: ServerResponse): void {
    const pod = this.pods.get(name);
    response.writeHead(pod ? 200 : 404, { 'Content-Type': 'text/plain' }).flushHeaders();
    if (pod?.kubelet)
      pod.kubelet.read(isFollowing, (chunk) => (chunk ? response.write(chunk) : response.end()));
    else response.end();
  }

  #watch(query: URLSearchParams, response: ServerResponse): void {
    const watcher = { selector: query.get('labelSelector') ?? '', response };
    response.writeHead(200, { 'Content-Type': 'application/json' }).flushHeaders();
    response.on('close', () => this.#watchers.delete(watcher));
    this.#watchers.add(watcher);
    const since = Number(query.get('resourceVersion'));
    for (const told of this.#history) if (told.version > since) tell(watcher, told);
  }

  #emit(type: string, { object }: FakePod): void {
    this.#version += 1;
    object.metadata.resourceVersion = String(this.#version);
    const told = {
      version: this.#version,
      line: `${JSON.stringify({ type, object })}\n`,
      labels: object.metadata.labels,
    };
    this.#history.push(told);
    for (const watcher of this.#watchers) tell(watcher, told);
  }
}

function tell({ selector, response }: Watcher, { labels, line }: Told): void {
  if (isSelected(labels, selector)) response.write(line);
}

function isSelected(labels: Readonly<Record<string, string>>, selector: string): boolean {
  const [key = '', value] = selector.split('=');
  return labels[key] === value;
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

function refusal(code: number) {
  const words: Record<number, string> = {
    404: 'not found',
    409: 'already exists',
    410: 'too old resource version',
  };
  const message = words[code] ?? `refused with ${code}`;
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', metadata: {}, message, code };
}

function kubeconfig(server: string) {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    // The client speaks without TLS only when it is told not to verify.
    clusters: [{ name: 'fake', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'coordinator', user: { token: TOKEN } }],
    contexts: [{ name: 'fake', context: { cluster: 'fake', user: 'coordinator' } }],
    'current-context': 'fake',
  };
}
