/** Whether runs can live in containers, where that is asked for. */
import { isLoopbackHost } from '@aizuchi/shared/platform/config/config';
import {
  type DockerConfig,
  dockerConfig,
  dockerVariables,
} from '@aizuchi/shared/platform/config/docker-config';
import { type RawEnv, readEnv } from '@aizuchi/shared/platform/config/env';
import { ExitError } from '@aizuchi/shared/platform/process-lifecycle';
import {
  DockerEngine,
  EngineRefused,
  EngineUnreachable,
} from '../../packages/coordinator/src/executor/docker/docker-engine.ts';
import { RUN_ERRORS } from '../../packages/coordinator/src/texts/run-errors.ts';
import { bad, type Finding, good } from './finding.ts';
import { swarmFinding } from './swarm.ts';

const ABOUT = 'containers';
const texts = RUN_ERRORS.en;
/** Which port it is does not matter here. */
const OURS = 'http://127.0.0.1/mcp';

export async function containerFindings(raw: RawEnv): Promise<Finding[]> {
  const env = readEnv(raw, [...dockerVariables, 'AIZUCHI_HOST', 'AIZUCHI_MCP_URL']);
  try {
    const docker = dockerConfig(env, env.AIZUCHI_MCP_URL ?? OURS);
    if (!docker) return [];
    const isApart = env.AIZUCHI_MCP_URL !== undefined || env.AIZUCHI_DOCKER_MCP_URL !== undefined;
    const isHidden = !isApart && isLoopbackHost(env.AIZUCHI_HOST ?? '127.0.0.1');
    return [await engineFinding(docker), ...(isHidden ? [HIDDEN] : [])];
  } catch (error) {
    if (!(error instanceof ExitError)) throw error;
    return [bad(ABOUT, error.message)];
  }
}

const HIDDEN = bad(
  ABOUT,
  'The mcp-server listens on loopback only, where no container reaches it: set AIZUCHI_HOST, and AIZUCHI_ALLOWED_HOSTS ' +
    'to host.docker.internal, or AIZUCHI_DOCKER_MCP_URL.',
);

async function engineFinding(config: DockerConfig): Promise<Finding> {
  if (config.executor === 'swarm') return swarmFinding(ABOUT, config);
  const { address, addressName, image } = config;
  try {
    await new DockerEngine(address).call({ method: 'GET', path: `/images/${image}/json` });
    return good(ABOUT, `The Docker engine at ${addressName} answers and has the image ${image}.`);
  } catch (error) {
    if (error instanceof EngineUnreachable)
      return bad(ABOUT, texts.engineUnreachable(addressName, error.message));
    if (error instanceof EngineRefused) return bad(ABOUT, texts.imageMissing(image, addressName));
    throw error;
  }
}
