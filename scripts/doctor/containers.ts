/** Whether runs can live in containers, where that is asked for: everything that a run needs is tried with one. */
import { isLoopbackHost } from '@aizuchi/shared/platform/config/config';
import {
  type DockerConfig,
  dockerConfig,
  dockerVariables,
} from '@aizuchi/shared/platform/config/docker-config';
import { type RawEnv, readEnv } from '@aizuchi/shared/platform/config/env';
import { kubernetesConfig, kubernetesVariables } from '@aizuchi/shared/platform/config/kubernetes-config';
import { ExitError } from '@aizuchi/shared/platform/process-lifecycle';
import {
  DockerEngine,
  EngineRefused,
  EngineUnreachable,
} from '../../packages/coordinator/src/executor/docker/docker-engine.ts';
import { isOfRegistry } from '../../packages/coordinator/src/executor/docker/image-name.ts';
import { findRunAccounts } from '../../packages/coordinator/src/launch/agent-account.ts';
import { StartError } from '../../packages/coordinator/src/launch/start-error.ts';
import { RUN_ERRORS } from '../../packages/coordinator/src/texts/run-errors.ts';
import type { SupervisorConfig } from '../supervisor/supervisor-config.ts';
import { type Trial, tryContainer } from './container-trial.ts';
import { bad, type Finding, good, note } from './finding.ts';
import { ISOLATION, isolationFindings } from './isolation.ts';
import { clusterIsolation, kubernetesFinding } from './kubernetes.ts';
import { ownMcpServer } from './own-mcp-server.ts';
import { swarmFinding } from './swarm.ts';

const ABOUT = 'containers';
const texts = RUN_ERRORS.en;
const OLDEST_NODE = 24;

export async function containerFindings(raw: RawEnv, config: SupervisorConfig): Promise<Finding[]> {
  const env = readEnv(raw, [...dockerVariables, ...kubernetesVariables, 'AIZUCHI_MCP_URL']);
  const isApart = env.AIZUCHI_MCP_URL !== undefined || env.AIZUCHI_DOCKER_MCP_URL !== undefined;
  const isHidden = !isApart && isLoopbackHost(config.host);
  const own = isApart || isHidden ? undefined : await ownMcpServer(config);
  try {
    const mcpUrl = env.AIZUCHI_MCP_URL ?? own?.url ?? 'http://127.0.0.1/mcp';
    const kubernetes = kubernetesConfig(env, mcpUrl);
    if (kubernetes)
      return [await kubernetesFinding(ABOUT, kubernetes), clusterIsolation(ISOLATION, kubernetes)];
    const docker = dockerConfig(env, mcpUrl);
    if (!docker) return isolationFindings(undefined);
    const engine = await engineFinding(docker);
    const found = [engine, ...(isHidden ? [HIDDEN] : [])];
    // The finding of a swarm is a note: a service is not tried, it would have to be placed like a run.
    if (engine.kind !== 'good') return found;
    const url = isHidden ? undefined : new URL('/healthz', docker.mcpUrl).href;
    return [...found, ...(await trialFindings(docker, config, url)), ...(await isolationFindings(docker))];
  } catch (error) {
    if (!(error instanceof ExitError)) throw error;
    return [bad(ABOUT, error.message)];
  } finally {
    await own?.close();
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
      return bad(ABOUT, texts.engineUnreachable(addressName, error.message).text);
    if (!(error instanceof EngineRefused)) throw error;
    if (!isOfRegistry(image)) return bad(ABOUT, texts.imageMissing(image, addressName).text);
    return note(
      ABOUT,
      `The Docker engine at ${addressName} answers. The first run lets it pull the image ${image}, which it does not have ` +
        `yet: docker pull ${image} does so now, and then this tries it.`,
    );
  }
}

async function trialFindings(
  docker: DockerConfig,
  { home, workspaceRoots }: SupervisorConfig,
  url: string | undefined,
): Promise<Finding[]> {
  const { agents: account } = await findRunAccounts(home);
  try {
    const trial = await tryContainer({ docker, roots: workspaceRoots, account, url });
    const faults = faultsOf(trial, docker.image, url).map((sentence) => bad(ABOUT, sentence));
    return faults.length > 0 ? faults : [good(ABOUT, praise(trial, url))];
  } catch (error) {
    if (error instanceof StartError) return [bad(ABOUT, error.message)];
    if (error instanceof EngineUnreachable || error instanceof EngineRefused)
      return [bad(ABOUT, `The engine failed while a container was tried: ${error.message}`)];
    throw error;
  }
}

function praise({ tookMs }: Trial, url: string | undefined): string {
  const reached = url === undefined ? '' : `reached the mcp-server at ${url}, `;
  return `A container with the box of a run started, wrote to its folder, ${reached}ended and is gone: ${Math.round(tookMs)} ms.`;
}

/** Each with what to do. */
export function faultsOf({ seen, words, isGone }: Trial, image: string, url?: string): string[] {
  const faults: string[] = [];
  if (!isGone)
    faults.push('The container of the trial is still there: docker ps -a --filter label=aizuchi.instance');
  if (!seen)
    return [
      ...faults,
      `No node runs in a container of the image ${image}: build it from the target runner of the Dockerfile, and look at AIZUCHI_DOCKER_MEMORY_MB. It said: ${words || 'nothing'}`,
    ];
  if (Number.parseInt(seen.node, 10) < OLDEST_NODE)
    faults.push(`The image ${image} has Node ${seen.node}: ${OLDEST_NODE} or newer is needed.`);
  if (!seen.hasRunner)
    faults.push(
      `The image ${image} has no /opt/aizuchi/runner.mjs: make it FROM aizuchi-runner, or copy the runner there.`,
    );
  if (seen.wrote !== true)
    faults.push(
      `A run could not write to its folder (${seen.wrote}): the engine must see the folders of AIZUCHI_WORKSPACE_ROOTS under the same path, and must not map accounts to others.`,
    );
  if (!seen.isImageReadOnly) faults.push('The engine ignores that the image is read-only for a run.');
  if (url !== undefined && seen.called !== 200) faults.push(unreached(url, seen.called));
  return faults;
}

function unreached(url: string, called: number | string | undefined): string {
  const { hostname } = new URL(url);
  if (called === 403)
    return `The mcp-server refuses calls of containers to ${url} (403): name ${hostname} in AIZUCHI_ALLOWED_HOSTS.`;
  return `A container does not reach the mcp-server at ${url} (${called ?? 'no answer'}): look at a firewall between the network of containers and this host, at AIZUCHI_DOCKER_MCP_URL, and at AIZUCHI_DOCKER_NETWORK.`;
}
