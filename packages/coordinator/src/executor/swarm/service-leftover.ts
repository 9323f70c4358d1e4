import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@aizuchi/shared/platform/logger';
import { z } from 'zod';
import type { Leftover } from '../container-executor.ts';
import { isNoContainer } from '../docker/container-end.ts';
import type { DockerEngine } from '../docker/docker-engine.ts';
import { removeService, stopService } from './service-end.ts';
import { SERVICE_GRACE_MS } from './service-spec.ts';
import type { SwarmWatch } from './swarm-watch.ts';
import { endOf, type Sight, type TaskEnd } from './task-state.ts';

const ENDING_MS = SERVICE_GRACE_MS + 5_000;
const foundSchema = z.object({ ID: z.string() });

interface LeftoverOptions {
  readonly engine: Pick<DockerEngine, 'call'>;
  readonly watch: Pick<SwarmWatch, 'until'>;
  readonly logger: Logger;
}

/** Ends and removes a service that no run has: when it is gone, nothing of it lives. */
export async function endLeftover(name: string, options: LeftoverOptions): Promise<Leftover> {
  const { engine, logger } = options;
  let ends: readonly TaskEnd[] | undefined = [];
  try {
    ends = await stopAndWait(name, options);
  } catch (error) {
    logger.warn({ err: error, service: name }, 'service without a run not stopped');
  }
  const isGone = await removeService(engine, name, logger);
  if (isGone && ends?.some((end) => end.kind === 'taken-off' && end.mayLive)) await delay(SERVICE_GRACE_MS);
  return { wasThere: ends !== undefined, isGone };
}

/** How its tasks have ended; undefined: there is no such service. */
async function stopAndWait(
  name: string,
  { engine, watch }: LeftoverOptions,
): Promise<readonly TaskEnd[] | undefined> {
  try {
    const { ID } = foundSchema.parse(await engine.call({ method: 'GET', path: `/services/${name}` }));
    if (!(await stopService(engine, name))) return undefined;
    const whenOver = (sight: Sight) => {
      const placed = sight.tasks.filter((task) => task.ServiceID === ID && task.NodeID !== undefined);
      const ends = placed.flatMap((task) => endOf(task.ID, sight, true) ?? []);
      return ends.length === placed.length ? ends : undefined;
    };
    return (await watch.until(whenOver, AbortSignal.timeout(ENDING_MS))) ?? [];
  } catch (error) {
    if (isNoContainer(error)) return undefined;
    throw error;
  }
}
