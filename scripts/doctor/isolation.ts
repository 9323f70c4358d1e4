/** What separates a run from the rest, and what does not, by where it lives. */
import type { DockerConfig } from '@aizuchi/shared/platform/config/docker-config';
import { z } from 'zod';
import { DockerEngine } from '../../packages/coordinator/src/executor/docker/docker-engine.ts';
import { type Finding, note } from './finding.ts';

export const ISOLATION = 'isolation';

const PROCESSES = note(
  ISOLATION,
  'Runs as processes (AIZUCHI_EXECUTOR=process): their account keeps them from the files of others, see above. Not kept ' +
    'apart: the network, whatever that account may read, other processes of it; and memory and processors have no limit. ' +
    'AIZUCHI_EXECUTOR=docker keeps more apart (docs/operations.md, Agents in containers).',
);

export async function isolationFindings(docker: DockerConfig | undefined): Promise<Finding[]> {
  if (!docker) return [PROCESSES];
  const { memoryMb, cpus, processes } = docker.limits;
  return [
    note(
      ISOLATION,
      'Runs in containers (AIZUCHI_EXECUTOR=docker): each sees the folder of its project, an image that it cannot write, and ' +
        `no process of others; it is not root, and has ${memoryMb} MiB, ${cpus} ${cpus === 1 ? 'processor' : 'processors'} ` +
        `and ${processes} processes unless its agent has limits of its own. Not kept apart: the kernel of the host, files ` +
        `of agents that share a folder, and ${await networkOf(docker)}.`,
    ),
  ];
}

const networkSchema = z.object({ Internal: z.boolean() });

async function networkOf({ address, network }: DockerConfig): Promise<string> {
  const path = `/networks/${encodeURIComponent(network)}`;
  const answer = await new DockerEngine(address).call({ method: 'GET', path }).catch(() => undefined);
  return networkSchema.safeParse(answer).data?.Internal
    ? `what is in the network ${network}, which has no way out but its gateway`
    : `the network: ${network} leads to the internet, to your local network and to what this host listens with`;
}
