import type { KubernetesConfig } from '@aizuchi/shared/platform/config/kubernetes-config';
import { INSTANCE_LABEL } from '../../packages/coordinator/src/executor/docker/box.ts';
import { Cluster } from '../../packages/coordinator/src/executor/kubernetes/cluster.ts';
import {
  ClusterRefused,
  ClusterUnreachable,
} from '../../packages/coordinator/src/executor/kubernetes/cluster-error.ts';
import { jobOf, jobSecretOf } from '../../packages/coordinator/src/executor/kubernetes/job-spec.ts';
import { RUN_ERRORS } from '../../packages/coordinator/src/texts/run-errors.ts';
import { bad, type Finding, note } from './finding.ts';

const texts = RUN_ERRORS.en;
const NAME = 'aizuchi-doctor-trial';

/** A run that touches no file, as the Coordinator would make it. Any account but root: the nodes have none of ours. */
const PLAN = {
  agentId: 'doctor',
  projectId: 'doctor',
  runId: 'trial',
  file: 'true',
  args: [],
  cwd: '/',
  env: {},
  secrets: [],
  stdinLine: 'trial',
  mustWriteFolder: false,
  worksInFolder: false,
};
const OPTIONS = { instanceId: 'doctor', coordinatorId: 'doctor', self: { uid: 10_001, gid: 10_001 } };

/** Whether the API answers and would take what a run needs. What is on the nodes is seen when a run begins there. */
export async function kubernetesFinding(about: string, config: KubernetesConfig): Promise<Finding> {
  const cluster = await Cluster.connect(config);
  const options = { ...OPTIONS, config };
  const { namespace, image, nodes } = config;
  try {
    await cluster.listNames(`${INSTANCE_LABEL}=doctor`);
    await cluster.listPods(`${INSTANCE_LABEL}=doctor`);
    const secret = jobSecretOf(PLAN, NAME, options);
    if (secret) await cluster.createSecret(secret, { isTrial: true });
    await cluster.createJob(jobOf(PLAN, NAME, options), { isTrial: true });
  } catch (error) {
    if (error instanceof ClusterUnreachable)
      return bad(about, texts.clusterUnreachable(cluster.address, error.message).text);
    if (!(error instanceof ClusterRefused)) throw error;
    return bad(
      about,
      `The Kubernetes API at ${cluster.address} does not let this account do what a run needs in the namespace ${namespace}: ` +
        `${error.message}. What it may have to do stands in deploy/kubernetes/coordinator-role.yaml.`,
    );
  }
  const labels = Object.entries(nodes).map(([name, value]) => `${name}=${value}`);
  const which = labels.length > 0 ? ` with ${labels.join(', ')}` : '';
  return note(
    about,
    `The Kubernetes API at ${cluster.address} answers and would take a run in the namespace ${namespace} (asked, not made). ` +
      `Its nodes${which} need the image ${image}, the mcp-server within reach at ${config.mcpUrl}, and the folders of the projects.`,
  );
}

export function clusterIsolation(about: string, { limits }: KubernetesConfig): Finding {
  const { memoryMb, cpus } = limits;
  return note(
    about,
    'Runs in Jobs (AIZUCHI_EXECUTOR=kubernetes): each sees the folder of its project, an image that it cannot write, and no ' +
      'process of others; it is not root, has no account of the cluster, and ' +
      `${memoryMb} MiB and ${cpus} ${cpus === 1 ? 'processor' : 'processors'} unless its agent has limits of its own. Processes are ` +
      'limited by the nodes only (podPidsLimit). Not kept apart: the kernel of its node, files of agents that share a folder, ' +
      'and the network, unless a NetworkPolicy does (deploy/kubernetes/network-policies.yaml) and the cluster enforces it.',
  );
}
