import type { CoordinatorConfig } from '@aizuchi/shared/platform/config/config';
import type { PlanOptions } from '../launch/launch-plan.ts';
import { ChosenExecutor } from './chosen-executor.ts';
import type { DockerExecutorDeps } from './docker/docker-executor.ts';
import type { Executor } from './executor.ts';
import { ProcessExecutor, type ProcessExecutorDeps } from './process-executor.ts';

export interface ExecutorOptions extends ProcessExecutorDeps {
  readonly config: Pick<CoordinatorConfig, 'id' | 'docker'>;
  readonly instanceId: string;
}

/** Where the runner image has our runner; node is in its PATH. */
const RUNNER_OF_IMAGE = { node: 'node', bundle: '/opt/aizuchi/runner.mjs' };

/** The executor that the configuration names. */
export async function makeExecutor(options: ExecutorOptions): Promise<Executor> {
  const { config, instanceId, journal, bootId, logger, texts } = options;
  const processes = new ProcessExecutor(options);
  if (!config.docker) return processes;
  const deps = {
    config: config.docker,
    coordinatorId: config.id,
    instanceId,
    self: { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 },
    journal,
    bootId,
    logger,
    texts,
  };
  const containers = await inContainers(deps);
  return new ChosenExecutor({ containers, processes });
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
  { docker }: Pick<CoordinatorConfig, 'docker'>,
): PlanOptions {
  if (!docker) return plan;
  const config = { ...plan.config, mcpUrl: docker.mcpUrl };
  return { ...plan, config, runner: RUNNER_OF_IMAGE, isInContainers: true };
}
