import type { Logger } from '@aizuchi/shared/platform/logger';
import { z } from 'zod';
import { isNoContainer } from '../docker/container-end.ts';
import { type DockerEngine, EngineRefused, EngineUnreachable } from '../docker/docker-engine.ts';
import { NOWHERE } from './service-spec.ts';

type Engine = Pick<DockerEngine, 'call'>;

const serviceSchema = z.object({
  Version: z.object({ Index: z.number().int() }),
  Spec: z.looseObject({ TaskTemplate: z.looseObject({}) }),
});

/** SIGTERM, the grace of the service, SIGKILL; its task stays readable. False: there is no such service. */
export async function stopService(engine: Engine, name: string): Promise<boolean> {
  try {
    const { Version, Spec } = serviceSchema.parse(
      await engine.call({ method: 'GET', path: `/services/${name}` }),
    );
    const TaskTemplate = { ...Spec.TaskTemplate, Placement: { Constraints: [NOWHERE] } };
    const query = { version: String(Version.Index) };
    const body = { ...Spec, TaskTemplate };
    await engine.call({ method: 'POST', path: `/services/${name}/update`, query, body });
    return true;
  } catch (error) {
    if (isNoContainer(error)) return false;
    throw error;
  }
}

/** With what still runs of it, and with its secret. False when something is still there. */
export async function removeService(engine: Engine, name: string, logger: Logger): Promise<boolean> {
  try {
    await removeOne(engine, `/services/${name}`);
    // Refused while the service has it.
    await removeOne(engine, `/secrets/${name}`);
    return true;
  } catch (error) {
    if (!(error instanceof EngineRefused || error instanceof EngineUnreachable)) throw error;
    logger.warn({ err: error, service: name }, 'service not removed');
    return false;
  }
}

async function removeOne(engine: Engine, path: string): Promise<void> {
  await engine.call({ method: 'DELETE', path }).catch((error: unknown) => {
    if (!isNoContainer(error)) throw error;
  });
}
