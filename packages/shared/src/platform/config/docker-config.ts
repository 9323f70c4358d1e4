/** The settings of a Coordinator whose runs live in containers. */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { ExitError, exitCodes } from '../process-lifecycle.ts';
import type { Env } from './env.ts';

/** Where the engine is: a socket of this host, or an address with TLS and certificates of both sides. */
export type DockerAddress =
  | { readonly socketPath: string }
  | {
      readonly host: string;
      readonly port: number;
      readonly ca: string;
      readonly cert: string;
      readonly key: string;
    };

export interface DockerConfig {
  /** `swarm`: the engine is a manager, and each run a service of its swarm. */
  readonly executor: 'docker' | 'swarm';
  /** Which nodes of the swarm take runs, as `docker service create --constraint` has it. */
  readonly constraints: readonly string[];
  readonly address: DockerAddress;
  /** As people read it. */
  readonly addressName: string;
  readonly image: string;
  /** The mcp-server as a container reaches it. */
  readonly mcpUrl: string;
  /** The same server as we reach it, for a container that reaches nothing but us. */
  readonly mcpServer: { readonly host: string; readonly port: number };
  readonly network: string;
  /** Of each run. */
  readonly limits: { readonly memoryMb: number; readonly cpus: number; readonly processes: number };
}

export const dockerVariables = [
  'AIZUCHI_EXECUTOR',
  'AIZUCHI_DOCKER_HOST',
  'AIZUCHI_DOCKER_CERTS',
  'AIZUCHI_DOCKER_IMAGE',
  'AIZUCHI_DOCKER_MCP_URL',
  'AIZUCHI_DOCKER_NETWORK',
  'AIZUCHI_DOCKER_MEMORY_MB',
  'AIZUCHI_DOCKER_CPUS',
  'AIZUCHI_DOCKER_PROCESSES',
  'AIZUCHI_SWARM_CONSTRAINTS',
] as const;

const DEFAULT_HOST = 'unix:///var/run/docker.sock';
const TLS_PORT = 2376;
/** The engine resolves it to the host on which it runs. */
export const HOST_OF_CONTAINERS = 'host.docker.internal';

/** Undefined: runs are processes of this host. `mcpUrl`: as we reach it ourselves. */
export function dockerConfig(
  env: Env<(typeof dockerVariables)[number]>,
  mcpUrl: string,
): DockerConfig | undefined {
  const executor = env.AIZUCHI_EXECUTOR ?? 'process';
  if (executor === 'process' || executor === 'kubernetes') return undefined;
  const addressName = env.AIZUCHI_DOCKER_HOST ?? DEFAULT_HOST;
  const inContainer =
    env.AIZUCHI_DOCKER_MCP_URL ?? (executor === 'swarm' ? fromNodes(mcpUrl) : fromContainers(mcpUrl));
  return {
    executor,
    constraints: env.AIZUCHI_SWARM_CONSTRAINTS ?? [],
    address: addressOf(addressName, env.AIZUCHI_DOCKER_CERTS),
    addressName,
    image: env.AIZUCHI_DOCKER_IMAGE ?? 'aizuchi-runner',
    mcpUrl: inContainer,
    mcpServer: asWeReachIt(new URL(inContainer), new URL(mcpUrl)),
    network: env.AIZUCHI_DOCKER_NETWORK ?? 'bridge',
    limits: { ...defaultLimits(env), processes: env.AIZUCHI_DOCKER_PROCESSES ?? 256 },
  };
}

/** Of a run whose agent has none of its own. */
export function defaultLimits(env: Env<'AIZUCHI_DOCKER_MEMORY_MB' | 'AIZUCHI_DOCKER_CPUS'>) {
  return { memoryMb: env.AIZUCHI_DOCKER_MEMORY_MB ?? 1_024, cpus: env.AIZUCHI_DOCKER_CPUS ?? 1 };
}

function addressOf(name: string, certificates: string | undefined): DockerAddress {
  const { protocol, hostname, port, pathname } = new URL(name);
  if (protocol === 'unix:') return { socketPath: decodeURIComponent(pathname) };
  if (certificates === undefined)
    throw new ExitError(
      exitCodes.configuration,
      'AIZUCHI_DOCKER_CERTS must name the folder of ca.pem, cert.pem and key.pem when AIZUCHI_DOCKER_HOST is no socket: whoever reaches an engine without TLS is root on its host.',
    );
  const read = (file: string) => {
    try {
      return readFileSync(join(certificates, file), 'utf8');
    } catch {
      throw new ExitError(exitCodes.configuration, `AIZUCHI_DOCKER_CERTS: ${file} in it cannot be read.`);
    }
  };
  return {
    host: hostname,
    port: Number(port || TLS_PORT),
    ca: read('ca.pem'),
    cert: read('cert.pem'),
    key: read('key.pem'),
  };
}

/** A container has a loopback of its own. */
function fromContainers(mcpUrl: string): string {
  const url = new URL(mcpUrl);
  if (isOfThisHost(url)) url.hostname = HOST_OF_CONTAINERS;
  return url.href;
}

function asWeReachIt(inContainer: URL, ours: URL): DockerConfig['mcpServer'] {
  const { protocol, port, hostname } = inContainer;
  const host = hostname === HOST_OF_CONTAINERS ? ours.hostname : hostname;
  return { host: withoutBrackets(host), port: Number(port || (protocol === 'https:' ? 443 : 80)) };
}

/** As sockets take an address. */
export function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/**
 * Whether runs of this Coordinator can be kept to a list of hosts. It stands between them and everything else, so the engine is on
 * its host; and it is the mcp-server to them, so that has a name.
 */
export function keepsEgress({
  executor,
  address,
  mcpUrl,
  mcpServer,
}: Pick<DockerConfig, 'executor' | 'address' | 'mcpUrl' | 'mcpServer'>): boolean {
  const { protocol, hostname } = new URL(mcpUrl);
  const isName = isIP(withoutBrackets(hostname)) === 0;
  // TLS is what a front speaks, and behind one of several hosts a run would reach them all.
  const isMcpServer = protocol === 'http:' && mcpServer.host !== '::1';
  return executor === 'docker' && 'socketPath' in address && isName && isMcpServer;
}

/** Runs are on other hosts than we are. */
function fromNodes(mcpUrl: string): string {
  if (isOfThisHost(new URL(mcpUrl)))
    throw new ExitError(
      exitCodes.configuration,
      'AIZUCHI_DOCKER_MCP_URL must name the mcp-server as the nodes of the swarm reach it: AIZUCHI_MCP_URL is an address of this host only.',
    );
  return mcpUrl;
}

/** An address that leads from another host, or from a container, to itself. */
export function isOfThisHost({ hostname }: URL): boolean {
  return /^(localhost|\[::1\]|127(\.\d{1,3}){3}|0\.0\.0\.0|\[::\])$/.test(hostname);
}
