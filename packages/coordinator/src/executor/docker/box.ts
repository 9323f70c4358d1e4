import type { RunLimits } from '@aizuchi/shared/contract/run';
import { type DockerConfig, HOST_OF_CONTAINERS } from '@aizuchi/shared/platform/config/docker-config';
import type { LaunchPlan } from '../../launch/launch-plan.ts';
import { isOfProxy, OF_THE_HOST } from '../../launch/run-environment.ts';
import type { GateOfBox } from './egress/egress-gate.ts';

/** By these the containers of one installation are found; neither they nor the environment hold a secret of the product. */
export const INSTANCE_LABEL = 'aizuchi.instance';
export const RUN_LABEL = 'aizuchi.run';

export interface BoxOptions {
  readonly config: Pick<DockerConfig, 'image' | 'network' | 'limits'>;
  readonly instanceId: string;
  readonly coordinatorId: string;
  /** Whom the agent is when the plan names no account. Never root. */
  readonly self: { readonly uid: number; readonly gid: number };
}

/** What of a plan makes its box. */
type BoxPlan = Pick<
  LaunchPlan,
  'runId' | 'file' | 'args' | 'cwd' | 'env' | 'account' | 'worksInFolder' | 'limits' | 'image'
>;

/** Scratch, the only place beside the project's folder that can be written. It counts as memory of the run. */
export const SCRATCH = '/tmp';
const SCRATCH_OPTIONS = 'rw,nosuid,nodev,exec';
export const MIB = 1024 * 1024;

/** Of the host, or a secret that comes by stdin. */
const NOT_IN_A_CONTAINER = new Set([...OF_THE_HOST, 'AIZUCHI_PASSKEY']);

/** The exit code by which `ENTER` says that the agent cannot write to its folder. */
export const FOLDER_NOT_WRITABLE = 213;
/** The same for a ticket that did not come: the connection broke, or the start was given up. */
export const NO_TICKET = 214;
/**
 * What begins in the container and becomes the program by exec. A ticket in AIZUCHI_PASSKEY comes by stdin: in the
 * container's configuration everybody who may ask the engine would read it.
 */
const ENTER = `[ "$1" = any ] || [ -w . ] || exit ${FOLDER_NOT_WRITABLE}
if [ "$2" = ticket ]; then IFS= read -r AIZUCHI_PASSKEY || exit ${NO_TICKET}; export AIZUCHI_PASSKEY; exec </dev/null; fi
shift 2
exec "$@"`;
/**
 * The same for a run that is kept to a list: nothing of it begins before it is known at the gate, where what it says earlier
 * would be cut.
 */
const ENTER_KEPT = `IFS= read -r begin || exit ${NO_TICKET}
${ENTER}`;
/** The line for which that waits. */
export const BEGIN = '\n';

/** What is written to stdin of the container. */
export function stdinOf({ stdinLine, env }: Pick<LaunchPlan, 'stdinLine' | 'env'>): string {
  const line = stdinLine ?? env.AIZUCHI_PASSKEY;
  return line === undefined ? '' : `${line}\n`;
}

/** Without what is of the host, and without secrets of the product. */
export function environmentOf({ env }: Pick<LaunchPlan, 'env'>): string[] {
  const own = Object.entries(env).filter(([name]) => !NOT_IN_A_CONTAINER.has(name));
  return [...own.map(([name, value]) => `${name}=${value}`), `HOME=${SCRATCH}`];
}

/** Those of the agent, the rest as the Coordinator sets it. */
export function limitsOf(
  { limits = {} }: Pick<LaunchPlan, 'limits'>,
  { limits: others }: Pick<DockerConfig, 'limits'>,
): RunLimits {
  return {
    memoryMb: limits.memoryMb ?? others.memoryMb,
    cpus: limits.cpus ?? others.cpus,
    processes: limits.processes ?? others.processes,
  };
}

/** That of the agent, else the one of the Coordinator. */
export function imageOf({ image }: Pick<LaunchPlan, 'image'>, config: Pick<DockerConfig, 'image'>): string {
  return image ?? config.image;
}

/**
 * What a program does not find by itself: in that network is nothing but us. By `localhost`, which no list can name, it reaches
 * servers of its own; 127.0.0.1 may be in a list, and is then this host.
 */
function proxyVariables({ gateway, proxyPort, mcpHost }: GateOfBox): string[] {
  const proxy = `http://${gateway}:${proxyPort}`;
  const values = { HTTP_PROXY: proxy, HTTPS_PROXY: proxy, NO_PROXY: `${mcpHost},localhost` };
  const both = Object.entries(values).flatMap(([name, value]) => [
    `${name}=${value}`,
    `${name.toLowerCase()}=${value}`,
  ]);
  return [...both, 'NODE_USE_ENV_PROXY=1'];
}

/** Of a run that is kept to a list the name of the mcp-server leads to us, and no name server is asked: the proxy resolves. */
function networkOf({ network }: BoxOptions['config'], gate: GateOfBox | undefined) {
  if (!gate) return { NetworkMode: network, ExtraHosts: [`${HOST_OF_CONTAINERS}:host-gateway`] };
  const { networkId, gateway, mcpHost } = gate;
  return {
    NetworkMode: networkId,
    ExtraHosts: [`${mcpHost}:${gateway}`],
    Dns: ['127.0.0.1'],
  };
}

/** The body of `POST /containers/create`: all that an agent gets, and no more. `gate`: of a run that is kept to a list. */
export function boxOf(
  plan: BoxPlan,
  { config, instanceId, coordinatorId, self }: BoxOptions,
  gate?: GateOfBox,
) {
  const variables = environmentOf(plan);
  const limits = limitsOf(plan, config);
  const { uid, gid } = plan.account ?? self;
  const folder = plan.worksInFolder ? plan.cwd : undefined;
  return {
    Image: imageOf(plan, config),
    User: `${uid}:${gid}`,
    WorkingDir: folder ?? SCRATCH,
    Env: gate
      ? [
          ...variables.filter((entry) => !isOfProxy(entry.slice(0, entry.indexOf('=')))),
          ...proxyVariables(gate),
        ]
      : variables,
    Entrypoint: ['/bin/sh', '-c', gate ? ENTER_KEPT : ENTER, 'sh'],
    Cmd: [
      folder === undefined ? 'any' : 'writable',
      plan.env.AIZUCHI_PASSKEY === undefined ? 'none' : 'ticket',
      plan.file,
      ...plan.args,
    ],
    Labels: {
      [INSTANCE_LABEL]: instanceId,
      [RUN_LABEL]: plan.runId,
      'aizuchi.coordinator': coordinatorId,
    },
    ...(gate && {
      NetworkingConfig: {
        EndpointsConfig: { [gate.networkId]: { IPAMConfig: { IPv4Address: gate.address } } },
      },
    }),
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    Tty: false,
    HostConfig: {
      // Ends what the agent leaves behind, and lets SIGTERM end a program that does not handle it.
      Init: true,
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      IpcMode: 'private',
      CgroupnsMode: 'private',
      Memory: limits.memoryMb * MIB,
      // The same as memory: no swap.
      MemorySwap: limits.memoryMb * MIB,
      NanoCpus: limits.cpus * 1e9,
      PidsLimit: limits.processes,
      // The agent's: runc may give it the mode that the folder has in the image.
      Tmpfs: { [SCRATCH]: `${SCRATCH_OPTIONS},uid=${uid},gid=${gid},mode=700` },
      Mounts: folder === undefined ? [] : [{ Type: 'bind', Source: folder, Target: folder }],
      ...networkOf(config, gate),
      // The log of the run is ours.
      LogConfig: { Type: 'none' },
    },
  };
}
