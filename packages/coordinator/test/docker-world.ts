import { type DockerConfig, dockerConfig } from '@aizuchi/shared/platform/config/docker-config';
import { createLogger } from '@aizuchi/shared/platform/logger';
import { z } from 'zod';
import { RUN_LABEL } from '../src/executor/docker/box.ts';
import { DockerEngine } from '../src/executor/docker/docker-engine.ts';
import { DockerExecutor, type DockerExecutorDeps } from '../src/executor/docker/docker-executor.ts';
import { readBootId } from '../src/process/proc-table.ts';
import { RUN_ERRORS } from '../src/texts/run-errors.ts';
import type { ExecutorWorld } from './executor-bench.ts';

/** The least that the settings allow. */
export const MEMORY_MB = 64;
/** An account that nobody has. */
export const AGENT = { uid: 54_322, gid: 54_322 };
export const INSTANCE = `test-${process.pid}`;

type Settings = Record<string, string | number>;
const bridgeSchema = z.object({
  IPAM: z.object({ Config: z.tuple([z.object({ Gateway: z.string() })]).rest(z.unknown()) }),
});
const containersSchema = z.array(z.object({ Id: z.string() }));

/** The engine and the image that the environment names, as for a Coordinator. */
function configWith(changes: Settings = {}, mcpUrl = 'http://127.0.0.1:9/mcp'): DockerConfig {
  const { AIZUCHI_DOCKER_HOST, AIZUCHI_DOCKER_CERTS, AIZUCHI_DOCKER_IMAGE } = process.env;
  const given = {
    ...(AIZUCHI_DOCKER_HOST && { AIZUCHI_DOCKER_HOST }),
    ...(AIZUCHI_DOCKER_CERTS && { AIZUCHI_DOCKER_CERTS }),
    ...(AIZUCHI_DOCKER_IMAGE && { AIZUCHI_DOCKER_IMAGE }),
  };
  const settings = { AIZUCHI_EXECUTOR: 'docker', AIZUCHI_DOCKER_MEMORY_MB: MEMORY_MB, ...given, ...changes };
  const config = dockerConfig(settings as Parameters<typeof dockerConfig>[0], mcpUrl);
  if (!config) throw new Error('not the executor docker');
  return config;
}

/** Makes executors with other settings. */
export function dockerWith(
  changes: Settings,
  {
    pullWaitMs,
    remainsMs,
    spares,
    resolve,
    mcpUrl,
  }: Pick<DockerExecutorDeps, 'pullWaitMs' | 'remainsMs' | 'spares' | 'resolve'> & { mcpUrl?: string } = {},
): ExecutorWorld['make'] {
  const config = configWith(changes, mcpUrl);
  return async (_home, journal) =>
    new DockerExecutor({
      config,
      ...(pullWaitMs !== undefined && { pullWaitMs }),
      ...(remainsMs !== undefined && { remainsMs }),
      ...(spares && { spares }),
      ...(resolve && { resolve }),
      bootId: await readBootId(),
      coordinatorId: 'coordinator-1',
      instanceId: INSTANCE,
      self: AGENT,
      journal,
      logger: createLogger('test', { level: 'silent' }),
      texts: RUN_ERRORS.en,
    });
}

export interface DockerWorld extends ExecutorWorld {
  readonly engine: DockerEngine;
  readonly isLocal: boolean;
  /** The address of the engine's host in the network of runs. */
  gateway(): Promise<string>;
}

/** Otherwise why it cannot be tested here. Nothing is fetched or built. */
export async function dockerWorld(): Promise<DockerWorld | string> {
  const { address, addressName, image, network } = configWith();
  const engine = new DockerEngine(address);
  try {
    await engine.call({ method: 'GET', path: `/images/${image}/json` });
  } catch (error) {
    return `${addressName}: ${error instanceof Error ? error.message : String(error)}`;
  }
  const leftOf = async (runId: string) => {
    const query = { all: '1', filters: JSON.stringify({ label: [`${RUN_LABEL}=${runId}`] }) };
    return containersSchema.parse(await engine.call({ method: 'GET', path: '/containers/json', query }));
  };
  const gateway = async () => {
    const bridge = await engine.call({ method: 'GET', path: `/networks/${network}` });
    return bridgeSchema.parse(bridge).IPAM.Config[0].Gateway;
  };
  return { name: 'docker', engine, isLocal: 'socketPath' in address, gateway, make: dockerWith({}), leftOf };
}

/** The settings of a product whose runs live in containers of this engine. */
export async function settingsOfProduct({ gateway }: DockerWorld): Promise<Record<string, string>> {
  const address = await gateway();
  return {
    AIZUCHI_EXECUTOR: 'docker',
    AIZUCHI_DOCKER_HOST: process.env.AIZUCHI_DOCKER_HOST ?? '',
    // Containers reach it, and nothing outside of this host does.
    AIZUCHI_HOST: address,
    AIZUCHI_ALLOWED_HOSTS: address,
  };
}
