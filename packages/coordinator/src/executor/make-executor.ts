import type { CoordinatorConfig } from '@aizuchi/shared/platform/config/config';
import { keepsEgress } from '@aizuchi/shared/platform/config/docker-config';
import type { PlanOptions } from '../launch/launch-plan.ts';
import { ChosenExecutor } from './chosen-executor.ts';
import type { DockerExecutorDeps } from './docker/docker-executor.ts';
import type { Executor } from './executor.ts';
import type { KubernetesExecutorDeps } from './kubernetes/kubernetes-executor.ts';
import { ProcessExecutor, type ProcessExecutorDeps } from './process-executor.ts';

export interface ExecutorOptions extends ProcessExecutorDeps {
  readonly config: Pick<CoordinatorConfig, 'id' | 'docker' | 'kubernetes' | 'spareRunners'>;
  readonly instanceId: string;
  /** Of runs that this executor starts. */
  readonly plan: PlanOptions;
}

/** Where the runner image has our runner; node is in its PATH. */
const RUNNER_OF_IMAGE = { node: 'node', bundle: '/opt/aizuchi/runner.mjs' };

/** The executor that the configuration names. */
export async function makeExecutor(options: ExecutorOptions): Promise<Executor> {
  const { config, instanceId, journal, bootId, logger, texts, plan } = options;
  const processes = new ProcessExecutor(options);
  const deps = {
    coordinatorId: config.id,
    instanceId,
    self: { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 },
    journal,
    bootId,
    logger,
    texts,
  };
  const { docker, kubernetes } = config;
  if (kubernetes)
    return new ChosenExecutor({ containers: await inCluster({ ...deps, config: kubernetes }), processes });
  if (docker) {
    const spares = { count: config.spareRunners, plan };
    return new ChosenExecutor({
      containers: await inContainers({ ...deps, config: docker, spares }),
      processes,
    });
  }
  return processes;
}

async function inCluster(deps: Omit<KubernetesExecutorDeps, 'cluster'>): Promise<Executor> {
  const { Cluster } = await import('./kubernetes/cluster.ts');
  const { KubernetesExecutor } = await import('./kubernetes/kubernetes-executor.ts');
  return new KubernetesExecutor({ ...deps, cluster: await Cluster.connect(deps.config) });
}

async function inContainers(deps: DockerExecutorDeps): Promise<Executor> {
  if (deps.config.executor === 'swarm') {
    const { SwarmExecutor } = await import('./swarm/swarm-executor.ts');
    return new SwarmExecutor(deps);
  }
  const { DockerExecutor } = await import('./docker/docker-executor.ts');
  return new DockerExecutor(deps);
}

/** Of runs in containers: the programs of the image, and the mcp-server as a container reaches it. */
export function planForExecutor(
  plan: PlanOptions,
  { docker, kubernetes }: Pick<CoordinatorConfig, 'docker' | 'kubernetes'>,
): PlanOptions {
  const inContainers = docker ?? kubernetes;
  if (!inContainers) return plan;
  const config = { ...plan.config, mcpUrl: inContainers.mcpUrl };
  return {
    ...plan,
    config,
    runner: RUNNER_OF_IMAGE,
    isInContainers: true,
    keepsEgress: docker !== undefined && keepsEgress(docker),
  };
}

/** What runs live in. */
export function executorOf({ docker, kubernetes }: Pick<CoordinatorConfig, 'docker' | 'kubernetes'>) {
  return kubernetes ? 'kubernetes' : (docker?.executor ?? 'process');
}
