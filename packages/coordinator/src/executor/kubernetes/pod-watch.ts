import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@aizuchi/shared/platform/logger';
import { z } from 'zod';
import { INSTANCE_LABEL, RUN_LABEL } from '../docker/box.ts';
import type { Cluster, PodEvent } from './cluster.ts';
import { ClusterRefused, isForgotten } from './cluster-error.ts';
import { type Pod, podSchema } from './pod-state.ts';

const RETRY_MS = 1_000;
/** A connection that ends at once, again and again, must not take the processor. */
const PAUSE_MS = 100;
/** What depends on the time is asked again without news. */
const TICK_MS = 1_000;
/** Who waited for the beginning of a run waits for its end next: the same connection serves both. */
const LINGER_MS = 1_000;
const versionedSchema = z.object({ metadata: z.object({ resourceVersion: z.string().optional() }) });
const statusSchema = z.object({ code: z.number().optional(), message: z.string().optional() });
const GONE = 410;

interface PodWatchOptions {
  readonly cluster: Pick<Cluster, 'listPods' | 'watchPods'>;
  readonly instanceId: string;
  readonly logger: Logger;
}

/** The pods of all runs of one installation, each by the id of its run. */
export type Pods = ReadonlyMap<string, Pod>;
type Waiter = (pods: Pods) => boolean;

/** Follows the pods of one installation, with one connection, while somebody waits for something. */
export class PodWatch {
  readonly #options: PodWatchOptions;
  readonly #waiters = new Set<Waiter>();
  readonly #pods = new Map<string, Pod>();
  /** From where on the cluster is asked; undefined: all have to be listed. */
  #version: string | undefined;
  #connection: AbortController | undefined;

  constructor(options: PodWatchOptions) {
    this.#options = options;
  }

  /** The first answer to what is asked of the pods; undefined once aborted. */
  until<T>(answer: (pods: Pods) => T | undefined, signal?: AbortSignal): Promise<T | undefined> {
    return new Promise((resolve) => {
      const waiter: Waiter = (pods) => {
        const found = answer(pods);
        if (found !== undefined) resolve(found);
        return found !== undefined;
      };
      const giveUp = () => {
        this.#forget(waiter);
        resolve(undefined);
      };
      signal?.addEventListener('abort', giveUp);
      if (signal?.aborted) return resolve(undefined);
      this.#waiters.add(waiter);
      if (this.#version !== undefined) this.#ask();
      if (!this.#connection) void this.#follow();
    });
  }

  #ask(): void {
    for (const waiter of this.#waiters) if (waiter(this.#pods)) this.#forget(waiter);
  }

  #forget(waiter: Waiter): void {
    this.#waiters.delete(waiter);
    if (this.#waiters.size > 0) return;
    const end = () => {
      if (this.#waiters.size === 0) this.#connection?.abort();
    };
    setTimeout(end, LINGER_MS).unref();
  }

  async #follow(): Promise<void> {
    const connection = new AbortController();
    this.#connection = connection;
    const tick = setInterval(() => {
      if (this.#version !== undefined) this.#ask();
    }, TICK_MS);
    tick.unref();
    for (let failures = 0; !connection.signal.aborted; ) {
      try {
        await this.#see(connection.signal);
        failures = 0;
        await delay(PAUSE_MS);
      } catch (error) {
        this.#version = undefined;
        if (!isForgotten(error)) failures += 1;
        if (failures === 1)
          this.#options.logger.warn({ err: error }, 'the cluster does not answer; asking again');
        await delay(isForgotten(error) ? PAUSE_MS : RETRY_MS);
      }
    }
    clearInterval(tick);
    this.#version = undefined;
    this.#connection = undefined;
    // Somebody may have come in the meantime.
    if (this.#waiters.size > 0) void this.#follow();
  }

  async #see(signal: AbortSignal): Promise<void> {
    const { cluster, instanceId } = this.#options;
    const labelSelector = `${INSTANCE_LABEL}=${instanceId}`;
    if (this.#version === undefined) {
      const { items, version } = await cluster.listPods(labelSelector);
      this.#pods.clear();
      for (const item of items) this.#note(podSchema.parse(item));
      this.#version = version;
      this.#ask();
    }
    let fault: Error | undefined;
    const ended = new AbortController();
    const tell = (event: PodEvent) => {
      // The client passes over what is thrown here.
      try {
        fault ??= this.#take(event);
      } catch (error) {
        fault = error instanceof Error ? error : new Error(String(error));
      }
      if (fault) ended.abort();
    };
    const version = this.#version;
    await cluster.watchPods({ labelSelector, version }, tell, AbortSignal.any([signal, ended.signal]));
    if (fault) throw fault;
  }

  #take({ type, object }: PodEvent): Error | undefined {
    if (type === 'ERROR') {
      const { code, message } = statusSchema.parse(object);
      return new ClusterRefused(code ?? GONE, message ?? 'the watch ended');
    }
    const { resourceVersion } = versionedSchema.parse(object).metadata;
    this.#version = resourceVersion ?? this.#version;
    if (type === 'BOOKMARK') return undefined;
    const pod = podSchema.parse(object);
    const runId = pod.metadata.labels?.[RUN_LABEL];
    if (type === 'DELETED') this.#note({ ...pod, isRemoved: true });
    else this.#note(pod);
    this.#ask();
    if (type === 'DELETED' && runId !== undefined) this.#pods.delete(runId);
    return undefined;
  }

  #note(pod: Pod): void {
    const runId = pod.metadata.labels?.[RUN_LABEL];
    if (runId !== undefined) this.#pods.set(runId, pod);
  }
}
