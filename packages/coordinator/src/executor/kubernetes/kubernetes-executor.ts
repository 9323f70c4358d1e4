import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { KubernetesConfig } from '@aizuchi/shared/platform/config/kubernetes-config';
import type { LaunchPlan } from '../../launch/launch-plan.ts';
import { StartError } from '../../launch/start-error.ts';
import type { RunLog } from '../../log/run-log.ts';
import { ContainerExecutor, type ContainerExecutorDeps, type Leftover } from '../container-executor.ts';
import { INSTANCE_LABEL, imageOf, RUN_LABEL } from '../docker/box.ts';
import type { RunHandle, Starting } from '../executor.ts';
import { RemoteRun } from '../remote-run.ts';
import type { Cluster } from './cluster.ts';
import { ClusterRefused, ClusterUnreachable } from './cluster-error.ts';
import { explainPod } from './explain-pod.ts';
import { CONTAINER, folderMount, type JobOptions, jobOf, jobSecretOf, podLimitsOf } from './job-spec.ts';
import { beginningOf } from './pod-beginning.ts';
import { podMemoryMb } from './pod-memory.ts';
import { beginningOfPod, endOfPod, nodeOfPod, type Pod, type PodEnd, podSchema } from './pod-state.ts';
import { PodWatch } from './pod-watch.ts';

export interface KubernetesExecutorDeps extends Omit<JobOptions, 'config'>, ContainerExecutorDeps {
  readonly config: KubernetesConfig;
  readonly cluster: Cluster;
  /** How long a run waits for a node. */
  readonly placingMs?: number;
}

const LEFTOVER_GRACE_MS = 2_000;
const LEFTOVER_MS = LEFTOVER_GRACE_MS + 10_000;
const LOOK_MS = 250;

/** Runs in Jobs of a Kubernetes cluster, each in its own, with no more than `jobOf` gives. */
export class KubernetesExecutor extends ContainerExecutor {
  protected readonly kind = 'kubernetes';
  readonly #deps: KubernetesExecutorDeps;
  readonly #cluster: Cluster;
  readonly #watch: PodWatch;

  constructor(deps: KubernetesExecutorDeps) {
    super(deps);
    this.#deps = deps;
    const { cluster, instanceId, logger } = deps;
    this.#cluster = cluster;
    this.#watch = new PodWatch({ cluster, instanceId, logger });
  }

  protected async check({ worksInFolder, cwd }: LaunchPlan): Promise<void> {
    const { config, texts } = this.#deps;
    if (worksInFolder && !folderMount(cwd, config)) throw new StartError(texts.folderNotInCluster(cwd));
  }

  protected findAll(): Promise<readonly string[]> {
    return this.#cluster.listNames(`${INSTANCE_LABEL}=${this.#deps.instanceId}`);
  }

  protected async remove(name: string): Promise<boolean> {
    try {
      await Promise.all([this.#cluster.deleteJob(name), this.#cluster.deleteSecret(name)]);
      return true;
    } catch (error) {
      if (!(error instanceof ClusterRefused || error instanceof ClusterUnreachable)) throw error;
      this.#deps.logger.warn({ err: error, job: name }, 'Job not removed');
      return false;
    }
  }

  protected async endLeftover(name: string): Promise<Leftover> {
    let pods: readonly Pod[] = [];
    let names: readonly string[] = [];
    try {
      names = (await this.findAll()).filter((one) => one === name);
      pods = await this.#podsOf(name);
      await Promise.all(pods.map((pod) => this.#cluster.deletePod(pod.metadata.name, LEFTOVER_GRACE_MS)));
    } catch (error) {
      this.#deps.logger.warn({ err: error, job: name }, 'Job without a run not stopped');
      await this.remove(name);
      return { wasThere: true, isGone: false };
    }
    const isRemoved = await this.remove(name);
    // A pod may have been made until the Job was deleted.
    const isGone = await this.#isOver(name);
    return { wasThere: names.length > 0 || pods.length > 0, isGone: isRemoved && isGone };
  }

  protected async begin(
    name: string,
    plan: LaunchPlan,
    log: RunLog,
    { signal }: Starting,
  ): Promise<RunHandle> {
    const { config, logger, texts, self, placingMs } = this.#deps;
    const cluster = this.#cluster;
    const secret = jobSecretOf(plan, name, this.#deps);
    if (secret) await cluster.createSecret(secret);
    await cluster.createJob(jobOf(plan, name, this.#deps));
    const watch = this.#watch;
    const pod = await beginningOf(plan.runId, { cluster, watch, texts, name, signal, placingMs });
    const node = nodeOfPod(pod);
    const explain = explainPod(plan, { node, texts, config, self });
    const beginning = beginningOfPod(pod, Date.now());
    if (beginning.kind === 'over' && beginning.end.kind === 'refused')
      throw new StartError(explain(beginning.end).startError ?? texts.clusterRefused(beginning.end.reason));
    return new RemoteRun<PodEnd>({
      name,
      // It has one in its container only.
      pid: 1,
      place: {
        executor: 'kubernetes',
        node,
        image: imageOf(plan, config),
        limits: podLimitsOf(plan, config),
      },
      log,
      secrets: plan.secrets,
      logger: logger.child({ runId: plan.runId }),
      explain,
      container: this.#containerOf(name, plan.runId, pod.metadata.name),
    });
  }

  #containerOf(name: string, runId: string, pod: string) {
    const cluster = this.#cluster;
    return {
      read: async ({ isFollowing, signal }: { isFollowing: boolean; signal: AbortSignal }) => ({
        stdout: await cluster.readLog({ pod, container: CONTAINER, isFollowing }, signal),
        stderr: Readable.from([]),
      }),
      memoryMb: async () => podMemoryMb(await cluster.readMetrics(pod).catch(() => undefined)),
      stop: (graceMs: number) => cluster.deletePod(pod, graceMs),
      endsWithRun: true,
      untilEnd: (isStopping: () => boolean, signal: AbortSignal) =>
        this.#watch.until(
          (pods) => endOfPod(pods.get(runId), { isStopping: isStopping(), now: Date.now() }),
          signal,
        ),
      // Without an end its node has not answered: it may live.
      remove: async (end: PodEnd | undefined) =>
        (await this.remove(name)) && (end !== undefined || (await this.#isOver(name))),
    };
  }

  protected asStartError(error: unknown): unknown {
    const { texts } = this.#deps;
    if (error instanceof ClusterUnreachable)
      return new StartError(texts.clusterUnreachable(this.#cluster.address, error.message));
    if (!(error instanceof ClusterRefused)) return error;
    return new StartError(texts.clusterRefused(error.message));
  }

  /** What the cluster takes as a name has neither capitals nor underscores. */
  protected override nameOf(runId: string): string {
    return super
      .nameOf(runId)
      .toLowerCase()
      .replaceAll(/[^a-z\d-]/g, '-');
  }

  async #podsOf(name: string): Promise<Pod[]> {
    const { items } = await this.#cluster.listPods(`${INSTANCE_LABEL}=${this.#deps.instanceId}`);
    const pods = items.map((item) => podSchema.parse(item));
    return pods.filter(({ metadata }) => this.nameOf(metadata.labels?.[RUN_LABEL] ?? '') === name);
  }

  /** Whether its pods are gone in time: what the cluster only wants to end may still live. */
  async #isOver(name: string): Promise<boolean> {
    const until = performance.now() + LEFTOVER_MS;
    while (performance.now() < until) {
      const pods = await this.#podsOf(name).catch(() => undefined);
      if (pods?.every((pod) => endOfPod(pod, { isStopping: true, now: Date.now() }) !== undefined))
        return true;
      await delay(LOOK_MS);
    }
    return false;
  }
}
