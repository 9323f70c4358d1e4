import { realpath } from 'node:fs/promises';
import type { DockerAddress } from '@aizuchi/shared/platform/config/docker-config';

/** Whoever reaches the engine is root on its host, so its socket is in no folder of an agent. */
export class EngineSocket {
  /** As it is written, and where that leads: the folders of agents are real paths. */
  readonly #paths: Promise<readonly string[]>;

  constructor(address: DockerAddress) {
    this.#paths = 'socketPath' in address ? pathsOf(address.socketPath) : Promise.resolve([]);
  }

  async isIn(folder: string): Promise<boolean> {
    const beginning = folder.endsWith('/') ? folder : `${folder}/`;
    return (await this.#paths).some((path) => path.startsWith(beginning));
  }
}

async function pathsOf(socketPath: string): Promise<readonly string[]> {
  return [socketPath, await realpath(socketPath).catch(() => socketPath)];
}
