import { kubernetesConfig } from '@aizuchi/shared/platform/config/kubernetes-config';
import { createLogger } from '@aizuchi/shared/platform/logger';
import { Cluster } from '../src/executor/kubernetes/cluster.ts';
import { KubernetesExecutor } from '../src/executor/kubernetes/kubernetes-executor.ts';
import { readBootId } from '../src/process/proc-table.ts';
import { findRunProcesses } from '../src/process/run-processes.ts';
import { RUN_ERRORS } from '../src/texts/run-errors.ts';
import { AGENT, INSTANCE, MEMORY_MB } from './docker-world.ts';
import type { ExecutorWorld } from './executor-bench.ts';
import type { FakeCluster } from './fake-cluster.ts';

type Settings = Record<string, string | number | string[]>;

/** Makes executors with other settings. */
export function kubernetesWith(
  cluster: Pick<FakeCluster, 'configFile'>,
  changes: Settings = {},
  placingMs?: number,
): ExecutorWorld['make'] {
  const settings = {
    AIZUCHI_EXECUTOR: 'kubernetes',
    AIZUCHI_DOCKER_MEMORY_MB: MEMORY_MB,
    AIZUCHI_KUBERNETES_CONFIG: cluster.configFile,
    AIZUCHI_KUBERNETES_HOST_PATHS: ['/'],
    ...changes,
  };
  return async (_home, journal) => {
    const config = kubernetesConfig(
      settings as Parameters<typeof kubernetesConfig>[0],
      'http://mcp-server:4101/mcp',
    );
    if (!config) throw new Error('not the executor kubernetes');
    return new KubernetesExecutor({
      config,
      cluster: await Cluster.connect(config),
      ...(placingMs !== undefined && { placingMs }),
      // Never: the port of a cluster that was closed may belong to the next one by then.
      remainsMs: 2_147_483_647,
      bootId: await readBootId(),
      coordinatorId: 'coordinator-1',
      instanceId: INSTANCE,
      self: AGENT,
      journal,
      logger: createLogger('test', { level: 'silent' }),
      texts: RUN_ERRORS.en,
    });
  };
}

/** There is no cluster here: the API is a scripted one, whose pods are processes of this host. */
export function kubernetesWorld(cluster: FakeCluster): ExecutorWorld {
  return {
    name: 'kubernetes',
    make: kubernetesWith(cluster),
    leftOf: async (runId) => [...cluster.left, ...(await findRunProcesses({ traceId: runId }))],
    // Its Job is gone with what it says.
    seesForeignEnd: false,
    hasOneStream: true,
  };
}
