import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type * as Client from '@aizuchi/kubernetes-client';
import type { KubernetesConfig } from '@aizuchi/shared/platform/config/kubernetes-config';
import { ExitError, exitCodes } from '@aizuchi/shared/platform/process-lifecycle';
import { z } from 'zod';
import { asClusterError, isTimeout, messageOf } from './client-error.ts';
import { ClusterRefused, isNotThere, isPassing, isThereAlready } from './cluster-error.ts';
import { loadClient } from './load-client.ts';

const TIMEOUT_MS = 15_000;
/** Between the attempts of a call. */
const PAUSES_MS = [200, 600, 1_500];
const OK = 200;

export interface PodEvent {
  readonly type: string;
  readonly object: unknown;
}

type Config = Pick<KubernetesConfig, 'configFile' | 'namespace'>;
const listedSchema = z.object({ metadata: z.object({ resourceVersion: z.string() }) });
const eventsSchema = z.object({ items: z.array(z.object({ message: z.string().optional() })) });

/** The few calls of the Kubernetes API that runs need, by the official client, in the namespace of the runs. */
export class Cluster {
  /** As people read it. */
  readonly address: string;
  readonly #client: typeof Client;
  readonly #config: Client.KubeConfig;
  readonly #namespace: string;
  readonly #core: Client.CoreV1Api;
  readonly #batch: Client.BatchV1Api;

  private constructor(
    client: typeof Client,
    { config, address, namespace }: { config: Client.KubeConfig; address: string; namespace: string },
  ) {
    this.#client = client;
    this.#config = config;
    this.#namespace = namespace;
    this.address = address;
    const configuration = client.createConfiguration({
      baseServer: new client.ServerConfiguration(address, {}),
      authMethods: { default: config },
      promiseMiddleware: [IN_TIME],
    });
    this.#core = new client.CoreV1Api(configuration);
    this.#batch = new client.BatchV1Api(configuration);
  }

  /** Asks nothing yet. */
  static async connect({ configFile, namespace }: Config): Promise<Cluster> {
    const client = await loadClient();
    const config = new client.KubeConfig();
    try {
      if (configFile === undefined) config.loadFromCluster();
      else config.loadFromFile(configFile);
      const address = config.getCurrentCluster()?.server;
      if (address === undefined) throw new Error('no current context');
      return new Cluster(client, { config, address, namespace });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new ExitError(
        exitCodes.configuration,
        `AIZUCHI_KUBERNETES_CONFIG: not a kubeconfig (${reason}).`,
      );
    }
  }

  /** `isTrial`: the cluster says whether it would take it, and makes nothing. */
  async createJob(body: Client.V1Job, { isTrial = false } = {}): Promise<void> {
    const given = { namespace: this.#namespace, body, ...(isTrial && { dryRun: 'All' }) };
    await this.#create(() => this.#batch.createNamespacedJob(given));
  }

  async createSecret(body: Client.V1Secret, { isTrial = false } = {}): Promise<void> {
    const given = { namespace: this.#namespace, body, ...(isTrial && { dryRun: 'All' }) };
    await this.#create(() => this.#core.createNamespacedSecret(given));
  }

  /** With its pods, which end as their own grace says. */
  async deleteJob(name: string): Promise<void> {
    const given = { namespace: this.#namespace, name, propagationPolicy: 'Background' };
    await this.#delete(() => this.#batch.deleteNamespacedJob(given));
  }

  async deleteSecret(name: string): Promise<void> {
    const given = { namespace: this.#namespace, name };
    await this.#delete(() => this.#core.deleteNamespacedSecret(given));
  }

  /** SIGTERM, the grace, SIGKILL. Never less than a second: 0 would forget it while it still lives. */
  async deletePod(name: string, graceMs: number): Promise<void> {
    // No longer than asked for: who asks waits only so long.
    const gracePeriodSeconds = Math.max(1, Math.floor(graceMs / 1_000));
    const given = { namespace: this.#namespace, name, gracePeriodSeconds };
    await this.#delete(() => this.#core.deleteNamespacedPod(given));
  }

  async listPods(labelSelector: string): Promise<{ items: readonly unknown[]; version: string }> {
    const given = { namespace: this.#namespace, labelSelector };
    const list = await this.#tried(() => this.#core.listNamespacedPod(given));
    return { items: list.items, version: listedSchema.parse(list).metadata.resourceVersion };
  }

  /** The names of all Jobs and secrets with the label. */
  async listNames(labelSelector: string): Promise<string[]> {
    const given = { namespace: this.#namespace, labelSelector };
    const [jobs, secrets] = await Promise.all([
      this.#tried(() => this.#batch.listNamespacedJob(given)),
      this.#tried(() => this.#core.listNamespacedSecret(given)),
    ]);
    return [...jobs.items, ...secrets.items].flatMap(({ metadata }) => metadata?.name ?? []);
  }

  /** What the cluster has said last about an object, such as why a volume is not mounted. */
  async lastWord(name: string): Promise<string | undefined> {
    const given = { namespace: this.#namespace, fieldSelector: `involvedObject.name=${name}` };
    const list = await this.#tried(() => this.#core.listNamespacedEvent(given));
    return eventsSchema.parse(list).items.findLast(({ message }) => message)?.message;
  }

  /** Tells what changes from `version` on, until the connection ends, as it does after half a minute without a word. */
  async watchPods(
    { labelSelector, version }: { readonly labelSelector: string; readonly version: string },
    tell: (event: PodEvent) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const ended = Promise.withResolvers<void>();
    const done = (error: unknown) => {
      const isWanted = error === null || signal.aborted || isTimeout(error);
      if (isWanted) ended.resolve();
      else ended.reject(this.#said(error));
    };
    const query = { labelSelector, resourceVersion: version, allowWatchBookmarks: true };
    const path = `/api/v1/namespaces/${this.#namespace}/pods`;
    const tellAll = (type: string, object: unknown) => tell({ type, object });
    const connection = await new this.#client.Watch(this.#config)
      .watch(path, query, tellAll, done)
      .catch((error: unknown) => {
        throw this.#said(error);
      });
    const stop = () => connection.abort();
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    try {
      await ended.promise;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /** The output of a container from its beginning. */
  async readLog(
    { pod, container, isFollowing }: { pod: string; container: string; isFollowing: boolean },
    signal: AbortSignal,
  ): Promise<Readable> {
    const query = new URLSearchParams({ container, follow: String(isFollowing) });
    const path = `/api/v1/namespaces/${this.#namespace}/pods/${pod}/log?${query}`;
    const { body } = await this.#get(path, signal);
    return body ? Readable.fromWeb(body) : Readable.from([]);
  }

  /** What the cluster has measured of a pod; rejects where it measures nothing. */
  async readMetrics(pod: string): Promise<unknown> {
    const path = `/apis/metrics.k8s.io/v1beta1/namespaces/${this.#namespace}/pods/${pod}`;
    return (await this.#get(path, AbortSignal.timeout(TIMEOUT_MS))).json();
  }

  async #get(path: string, signal: AbortSignal) {
    const { fetch, HttpMethod, RequestContext } = this.#client;
    const url = `${this.address}${path}`;
    const context = new RequestContext(url, HttpMethod.GET);
    try {
      await this.#config.applySecurityAuthentication(context);
      // An agent may write nothing for hours.
      const dispatcher = context.getDispatcher()?.compose(WITHOUT_LIMIT);
      const headers = context.getHeaders();
      const response = await fetch(url, { headers, signal, ...(dispatcher && { dispatcher }) });
      if (response.status !== OK)
        throw new ClusterRefused(response.status, messageOf(await response.text()) ?? 'not read');
      return response;
    } catch (error) {
      throw this.#said(error);
    }
  }

  async #create(call: () => Promise<unknown>): Promise<void> {
    let isAgain = false;
    await this.#tried(() => {
      const created = call();
      // The first attempt may have made it although its answer did not come: the name is that of one run.
      const answered = isAgain ? created.catch((error) => this.#unless(isThereAlready, error)) : created;
      isAgain = true;
      return answered;
    });
  }

  async #delete(call: () => Promise<unknown>): Promise<void> {
    await this.#tried(() => call().catch((error) => this.#unless(isNotThere, error)));
  }

  #unless(isFine: (error: unknown) => boolean, error: unknown): void {
    const said = this.#said(error);
    if (!isFine(said)) throw said;
  }

  async #tried<T>(call: () => Promise<T>): Promise<T> {
    for (const pauseMs of [...PAUSES_MS, undefined]) {
      try {
        return await call();
      } catch (error) {
        const said = this.#said(error);
        if (pauseMs === undefined || !isPassing(said)) throw said;
        await delay(pauseMs);
      }
    }
    throw new Error('unreachable');
  }

  #said(error: unknown): Error {
    return asClusterError(error, this.#client);
  }
}

/** By default a connection that brings nothing for five minutes is given up. */
const WITHOUT_LIMIT: Client.Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) =>
  dispatch({ ...options, bodyTimeout: 0, headersTimeout: 0 }, handler);

/** A call without a limit would wait for an answer without end. */
const IN_TIME = {
  pre: async (context: Client.RequestContext) => {
    context.setSignal(AbortSignal.timeout(TIMEOUT_MS));
    return context;
  },
  post: async (context: Client.ResponseContext) => context,
};
