import type { Duplex } from 'node:stream';
import type { Logger } from '@aizuchi/shared/platform/logger';
import type { DockerEngine } from './docker-engine.ts';

export interface ContainerSpec {
  readonly name: string;
  /** The body of `POST /containers/create`. */
  readonly body: object;
  readonly logger: Logger;
}

/** Creates and starts it. Its streams are attached before: nothing that it says is lost. */
export async function startContainer(engine: DockerEngine, spec: ContainerSpec): Promise<Duplex> {
  const { name, body, logger } = spec;
  await engine.call({ method: 'POST', path: '/containers/create', query: { name }, body });
  const streams = await engine.attach(name);
  streams.on('error', (error) => logger.warn({ err: error, container: name }, 'streams broke'));
  try {
    await engine.call({ method: 'POST', path: `/containers/${name}/start` });
  } catch (error) {
    streams.destroy();
    throw error;
  }
  return streams;
}
