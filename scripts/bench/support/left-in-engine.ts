import { z } from 'zod';
import { INSTANCE_LABEL } from '../../../packages/coordinator/src/executor/docker/box.ts';
import type { DockerEngine } from '../../../packages/coordinator/src/executor/docker/docker-engine.ts';
import { instanceIdOf } from '../../../packages/coordinator/src/state/instance-id.ts';
import { dockerWorld } from '../../../packages/coordinator/test/docker-world.ts';
import { swarmWorld } from '../../../packages/coordinator/test/swarm-world.ts';

const listSchema = z.array(z.unknown());

/** Throws if there is none: else the product would wait for it. */
export async function requireEngine(executor: 'docker' | 'swarm'): Promise<DockerEngine> {
  const world = executor === 'swarm' ? await swarmWorld() : await dockerWorld();
  if (typeof world === 'string') throw new Error(world);
  return world.engine;
}

/** What an engine, or the manager of a swarm, still has of the product of this home: spare containers too. */
export async function leftInEngine(executor: 'docker' | 'swarm', home: string): Promise<number> {
  const engine = await requireEngine(executor);
  const query = {
    all: '1',
    filters: JSON.stringify({ label: [`${INSTANCE_LABEL}=${await instanceIdOf(home)}`] }),
  };
  const paths = executor === 'swarm' ? ['/services', '/secrets', '/containers/json'] : ['/containers/json'];
  const lists = await Promise.all(paths.map((path) => engine.call({ method: 'GET', path, query })));
  return lists.flatMap((list) => listSchema.parse(list)).length;
}
