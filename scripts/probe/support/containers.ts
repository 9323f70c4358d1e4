import { dockerWorld, settingsOfProduct } from '../../../packages/coordinator/test/docker-world.ts';
import { WrongArguments } from '../arguments.ts';

/** The settings with which runs of a product live in containers. Throws WrongArguments where there is no engine. */
export async function settingsForContainers(): Promise<Record<string, string>> {
  const docker = await dockerWorld();
  if (typeof docker === 'string') throw new WrongArguments(`--containers: ${docker}`);
  if (!docker.isLocal)
    throw new WrongArguments(
      '--containers: the engine is on another host, whose processes are not seen here.',
    );
  return { ...(await settingsOfProduct(docker)), COORDINATOR_ALLOWED_COMMANDS: '/bin/sh' };
}
