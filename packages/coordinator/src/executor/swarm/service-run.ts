import { containerMemory } from '../docker/container-memory.ts';
import type { DockerEngine } from '../docker/docker-engine.ts';
import { splitOutput } from '../docker/framed-output.ts';
import { RemoteRun, type RemoteRunOptions } from '../remote-run.ts';
import { removeService, stopService } from './service-end.ts';
import { SERVICE_GRACE_MS } from './service-spec.ts';
import type { SwarmWatch } from './swarm-watch.ts';
import { endOfBegun, type Task, type TaskEnd } from './task-state.ts';

interface ServiceRunOptions extends Omit<RemoteRunOptions<TaskEnd>, 'container' | 'pid'> {
  readonly engine: DockerEngine;
  readonly watch: SwarmWatch;
  /** As it was when it had begun. */
  readonly task: Task;
}

/** One run in its service, from the start of its task until the service and its secret are removed. */
export function serviceRun({ engine, watch, task, ...options }: ServiceRunOptions): RemoteRun<TaskEnd> {
  const { name, logger } = options;
  const { ContainerID: id, PID: pid } = task.Status.ContainerStatus ?? {};
  return new RemoteRun({
    ...options,
    pid: pid || 1,
    container: {
      read: async ({ isFollowing, signal }) => {
        const query = { stdout: '1', stderr: '1', follow: isFollowing ? '1' : '0' };
        return splitOutput(await engine.read({ path: `/tasks/${task.ID}/logs`, query, signal }));
      },
      // Known of what is on the manager itself only: it does not ask other nodes.
      memoryMb: async () => (id === undefined ? undefined : containerMemory(engine, id)),
      stop: async () => {
        await stopService(engine, name);
      },
      // It is part of a service.
      graceMs: SERVICE_GRACE_MS,
      untilEnd: (isStopping, signal) =>
        watch.until((sight) => endOfBegun(task.ID, sight, isStopping()), signal),
      remove: () => removeService(engine, name, logger),
    },
  });
}
