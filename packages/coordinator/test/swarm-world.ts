import { dockerConfig } from '@aizuchi/shared/platform/config/docker-config';
import { createLogger } from '@aizuchi/shared/platform/logger';
import { z } from 'zod';
import { RUN_LABEL } from '../src/executor/docker/box.ts';
import { DockerEngine } from '../src/executor/docker/docker-engine.ts';
import { SwarmExecutor } from '../src/executor/swarm/swarm-executor.ts';
import { readBootId } from '../src/process/proc-table.ts';
import { RUN_ERRORS } from '../src/texts/run-errors.ts';
import { AGENT, INSTANCE, MEMORY_MB } from './docker-world.ts';
import type { ExecutorWorld } from './executor-bench.ts';

type Settings = Record<string, string | number | string[]>;
const listSchema = z.array(z.unknown());
const infoSchema = z.object({ Name: z.string(), Swarm: z.object({ ControlAvailable: z.boolean() }) });

/** The manager that AIZUCHI_SWARM_HOST names, and its image and nodes as for a Coordinator. */
function configWith(changes: Settings = {}) {
  const { AIZUCHI_SWARM_HOST, AIZUCHI_DOCKER_CERTS, AIZUCHI_DOCKER_IMAGE, AIZUCHI_SWARM_CONSTRAINTS } =
    process.env;
  const settings = {
    AIZUCHI_EXECUTOR: 'swarm',
    AIZUCHI_DOCKER_MEMORY_MB: MEMORY_MB,
    ...(AIZUCHI_SWARM_HOST && { AIZUCHI_DOCKER_HOST: AIZUCHI_SWARM_HOST }),
    ...(AIZUCHI_DOCKER_CERTS && { AIZUCHI_DOCKER_CERTS }),
    ...(AIZUCHI_DOCKER_IMAGE && { AIZUCHI_DOCKER_IMAGE }),
    ...(AIZUCHI_SWARM_CONSTRAINTS && { AIZUCHI_SWARM_CONSTRAINTS: AIZUCHI_SWARM_CONSTRAINTS.split(',') }),
    ...changes,
  };
  const config = dockerConfig(settings as Parameters<typeof dockerConfig>[0], 'http://mcp-server:9/mcp');
  if (!config) throw new Error('not the executor swarm');
  return config;
}

/** Makes executors with other settings. */
export function swarmWith(changes: Settings): ExecutorWorld['make'] {
  const config = configWith(changes);
  return async (_home, journal) =>
    new SwarmExecutor({
      config,
      bootId: await readBootId(),
      coordinatorId: 'coordinator-1',
      instanceId: INSTANCE,
      self: AGENT,
      journal,
      logger: createLogger('test', { level: 'silent' }),
      texts: RUN_ERRORS.en,
    });
}

export interface SwarmWorld extends ExecutorWorld {
  readonly engine: DockerEngine;
}

/** Otherwise why it cannot be tested here. Only a swarm that was named is asked: its services may be somebody's. */
export async function swarmWorld(): Promise<SwarmWorld | string> {
  if (!process.env.AIZUCHI_SWARM_HOST) return 'AIZUCHI_SWARM_HOST names no manager';
  const { address, addressName } = configWith();
  const engine = new DockerEngine(address);
  let manager: string;
  try {
    const { Name, Swarm } = infoSchema.parse(await engine.call({ method: 'GET', path: '/info' }));
    if (!Swarm.ControlAvailable) return `${addressName}: not a manager of a swarm`;
    manager = Name;
  } catch (error) {
    return `${addressName}: ${error instanceof Error ? error.message : String(error)}`;
  }
  const leftOf = async (runId: string) => {
    const query = { all: '1', filters: JSON.stringify({ label: [`${RUN_LABEL}=${runId}`] }) };
    const paths = ['/services', '/secrets', '/tasks', '/containers/json'];
    const lists = paths.map((path) => engine.call({ method: 'GET', path, query }));
    return (await Promise.all(lists)).flatMap((list) => listSchema.parse(list));
  };
  return {
    name: 'swarm',
    engine,
    make: swarmWith({}),
    leftOf,
    // A manager does not ask other nodes.
    saysMemory: ({ place }) => place.node === manager,
    // Its service is gone with what it says.
    seesForeignEnd: false,
  };
}
