import type { DockerConfig } from '@aizuchi/shared/platform/config/docker-config';
import { z } from 'zod';
import {
  DockerEngine,
  EngineRefused,
  EngineUnreachable,
} from '../../packages/coordinator/src/executor/docker/docker-engine.ts';
import { RUN_ERRORS } from '../../packages/coordinator/src/texts/run-errors.ts';
import { bad, type Finding, note } from './finding.ts';

const texts = RUN_ERRORS.en;
const nodesSchema = z.array(
  z.object({
    Status: z.object({ State: z.string() }),
    Spec: z.object({ Availability: z.string() }),
  }),
);

/** Whether the engine manages a swarm that has nodes for runs. What is on the nodes is seen when a run begins there. */
export async function swarmFinding(
  about: string,
  { address, addressName, image, constraints }: DockerConfig,
): Promise<Finding> {
  try {
    const nodes = nodesSchema.parse(await new DockerEngine(address).call({ method: 'GET', path: '/nodes' }));
    const ready = nodes.filter(
      ({ Status, Spec }) => Status.State === 'ready' && Spec.Availability === 'active',
    );
    if (ready.length === 0) return bad(about, texts.noNode(`${nodes.length} nodes, none ready`).text);
    const which = constraints.length > 0 ? `, of which runs take those with ${constraints.join(', ')}` : '';
    return note(
      about,
      `The manager of the swarm at ${addressName} answers: ${ready.length} of ${nodes.length} nodes are ready${which}. ` +
        `Each of them needs the image ${image}, the mcp-server within reach, and the folders of the projects.`,
    );
  } catch (error) {
    if (error instanceof EngineUnreachable)
      return bad(about, texts.engineUnreachable(addressName, error.message).text);
    if (error instanceof EngineRefused)
      return bad(about, `The engine at ${addressName} manages no swarm: ${error.message}`);
    throw error;
  }
}
