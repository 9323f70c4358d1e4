/** The settings of a Coordinator whose runs live in Jobs of a Kubernetes cluster. */
import { accessSync, constants } from 'node:fs';
import { ExitError, exitCodes } from '../process-lifecycle.ts';
import { defaultLimits, isOfThisHost } from './docker-config.ts';
import type { Env } from './env.ts';

export interface KubernetesConfig {
  /** Undefined: the account of the Coordinator's own pod. */
  readonly configFile: string | undefined;
  /** Of the runs. */
  readonly namespace: string;
  readonly image: string;
  /** The mcp-server as a pod reaches it. */
  readonly mcpUrl: string;
  /** Of each run. A cluster limits processes by its nodes only. */
  readonly limits: { readonly memoryMb: number; readonly cpus: number };
  /** The labels of nodes that take runs. */
  readonly nodes: Readonly<Record<string, string>>;
  /** Which folders of this host are which volume in the cluster. */
  readonly claims: readonly { readonly path: string; readonly claim: string }[];
  /** Folders that every node has under the same path. */
  readonly hostPaths: readonly string[];
}

export const kubernetesVariables = [
  'AIZUCHI_EXECUTOR',
  'AIZUCHI_DOCKER_IMAGE',
  'AIZUCHI_DOCKER_MCP_URL',
  'AIZUCHI_DOCKER_MEMORY_MB',
  'AIZUCHI_DOCKER_CPUS',
  'AIZUCHI_KUBERNETES_CONFIG',
  'AIZUCHI_KUBERNETES_NAMESPACE',
  'AIZUCHI_KUBERNETES_NODES',
  'AIZUCHI_KUBERNETES_CLAIMS',
  'AIZUCHI_KUBERNETES_HOST_PATHS',
  'KUBERNETES_SERVICE_HOST',
] as const;

/** Undefined: runs live somewhere else. `mcpUrl`: as we reach it ourselves. */
export function kubernetesConfig(
  env: Env<(typeof kubernetesVariables)[number]>,
  mcpUrl: string,
): KubernetesConfig | undefined {
  if (env.AIZUCHI_EXECUTOR !== 'kubernetes') return undefined;
  const { memoryMb, cpus } = defaultLimits(env);
  return {
    configFile: configFileOf(env),
    namespace: env.AIZUCHI_KUBERNETES_NAMESPACE ?? 'aizuchi-runs',
    image: env.AIZUCHI_DOCKER_IMAGE ?? 'aizuchi-runner',
    mcpUrl: env.AIZUCHI_DOCKER_MCP_URL ?? fromPods(mcpUrl),
    limits: { memoryMb, cpus },
    nodes: Object.fromEntries((env.AIZUCHI_KUBERNETES_NODES ?? []).map((label) => cutAt(label, '='))),
    claims: (env.AIZUCHI_KUBERNETES_CLAIMS ?? []).map((pair) => {
      const [path, claim] = cutAt(pair, '=');
      return { path, claim };
    }),
    hostPaths: env.AIZUCHI_KUBERNETES_HOST_PATHS ?? [],
  };
}

function configFileOf({
  AIZUCHI_KUBERNETES_CONFIG: file,
  KUBERNETES_SERVICE_HOST: host,
}: Env<'AIZUCHI_KUBERNETES_CONFIG' | 'KUBERNETES_SERVICE_HOST'>): string | undefined {
  if (file === undefined) {
    if (host !== undefined) return undefined;
    // Never ~/.kube/config: what a person works with may be another cluster, and may do everything there.
    throw new ExitError(
      exitCodes.configuration,
      'AIZUCHI_KUBERNETES_CONFIG must name a kubeconfig file: this Coordinator does not run in a pod, whose account it would use.',
    );
  }
  try {
    accessSync(file, constants.R_OK);
  } catch {
    throw new ExitError(exitCodes.configuration, `AIZUCHI_KUBERNETES_CONFIG: ${file} cannot be read.`);
  }
  return file;
}

function fromPods(mcpUrl: string): string {
  if (isOfThisHost(new URL(mcpUrl)))
    throw new ExitError(
      exitCodes.configuration,
      'AIZUCHI_DOCKER_MCP_URL must name the mcp-server as the pods of the cluster reach it: AIZUCHI_MCP_URL is an address of this host only.',
    );
  return mcpUrl;
}

function cutAt(text: string, mark: string): [string, string] {
  const at = text.lastIndexOf(mark);
  return [text.slice(0, at), text.slice(at + 1)];
}
