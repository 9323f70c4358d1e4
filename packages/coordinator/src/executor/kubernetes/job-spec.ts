import { isAbsolute, relative } from 'node:path';
import type { V1Job, V1PodSpec, V1Secret, V1Volume, V1VolumeMount } from '@aizuchi/kubernetes-client';
import type { RunLimits } from '@aizuchi/shared/contract/run';
import type { KubernetesConfig } from '@aizuchi/shared/platform/config/kubernetes-config';
import type { LaunchPlan } from '../../launch/launch-plan.ts';
import {
  type BoxOptions,
  environmentOf,
  FOLDER_NOT_WRITABLE,
  INSTANCE_LABEL,
  imageOf,
  NO_TICKET,
  RUN_LABEL,
  SCRATCH,
  stdinOf,
} from '../docker/box.ts';

export const CONTAINER = 'agent';
/** Where a secret of the run is, in memory of its node. */
export const LAUNCH_FOLDER = '/run/aizuchi';
const LAUNCH_FILE = 'launch';
/** Whoever deletes a pod without naming a grace gives it this one. */
const GRACE_SECONDS = 5;
/** Job and secret of a run whose Coordinator never comes back. */
const KEPT_SECONDS = 3_600;
/** A node that does not answer has lost its runs: by default it would be after five minutes. */
const LOST_SECONDS = 20;
/** What runs may keep on the disk of a node: nothing but their output. */
const DISK = '1Gi';
/** Of a processor, so that waiting agents keep none. Memory is kept whole: what is promised is there. */
const KEPT_CPU = '100m';

export interface JobOptions extends Omit<BoxOptions, 'config'> {
  readonly config: Pick<KubernetesConfig, 'image' | 'limits' | 'nodes' | 'claims' | 'hostPaths'>;
}
type Plan = Omit<LaunchPlan, 'folder'>;

/**
 * What begins in the container and becomes the program by exec. A Job has no stdin, so the line comes from its secret;
 * a ticket in AIZUCHI_PASSKEY too.
 */
const ENTER = `[ "$1" = any ] || [ -w . ] || exit ${FOLDER_NOT_WRITABLE}
line=${LAUNCH_FOLDER}/${LAUNCH_FILE} given=/dev/null
case "$2" in
  ticket) IFS= read -r AIZUCHI_PASSKEY <$line || exit ${NO_TICKET}; export AIZUCHI_PASSKEY ;;
  line) [ -r $line ] || exit ${NO_TICKET}; given=$line ;;
esac
shift 2
exec "$@" <$given`;

/** Those of the agent, the rest as the Coordinator sets it. Of processes a pod has none. */
export function podLimitsOf(
  { limits = {} }: Pick<LaunchPlan, 'limits'>,
  { limits: others }: Pick<KubernetesConfig, 'limits'>,
): RunLimits {
  return { memoryMb: limits.memoryMb ?? others.memoryMb, cpus: limits.cpus ?? others.cpus };
}

/** What the run is told at its start and nobody else may read. */
export function jobSecretOf(plan: Plan, name: string, options: JobOptions): V1Secret | undefined {
  const line = stdinOf(plan);
  const given = [
    ...(line === '' ? [] : [[LAUNCH_FILE, line] as const]),
    ...variablesOf(plan).filter(([, value]) => isSecret(plan, value)),
  ];
  if (given.length === 0) return undefined;
  const data = Object.fromEntries(
    given.map(([key, value]) => [key, Buffer.from(value).toString('base64')] as const),
  );
  // Immutable: nodes need not ask again and again whether it has changed.
  return { metadata: { name, labels: labelsOf(plan, options) }, immutable: true, data };
}

/** All that an agent gets, and no more. As `boxOf`, as far as a pod has it. */
export function jobOf(plan: Plan, name: string, options: JobOptions): V1Job {
  const labels = labelsOf(plan, options);
  return {
    metadata: { name, labels, annotations: { 'aizuchi.coordinator': options.coordinatorId } },
    spec: {
      // One pod, once.
      backoffLimit: 0,
      ttlSecondsAfterFinished: KEPT_SECONDS,
      template: { metadata: { labels }, spec: podOf(plan, name, options) },
    },
  };
}

function podOf(plan: Plan, name: string, options: JobOptions): V1PodSpec {
  const { config, self } = options;
  const { uid, gid } = plan.account ?? self;
  const mounts = mountsOf(plan, name, options);
  return {
    restartPolicy: 'Never',
    // Nothing of the cluster: neither its API nor the addresses of its services.
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    // The first process is then one that ends what the agent leaves behind, and SIGTERM ends a program that does not handle it.
    shareProcessNamespace: true,
    terminationGracePeriodSeconds: GRACE_SECONDS,
    nodeSelector: config.nodes,
    tolerations: ['unreachable', 'not-ready'].map((fault) => ({
      key: `node.kubernetes.io/${fault}`,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: LOST_SECONDS,
    })),
    securityContext: {
      runAsNonRoot: true,
      runAsUser: uid,
      runAsGroup: gid,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    containers: [
      {
        name: CONTAINER,
        image: imageOf(plan, config),
        // An image that is there is not asked for again, also when its tag has moved.
        imagePullPolicy: 'IfNotPresent',
        command: ['/bin/sh', '-c', ENTER, 'sh'],
        args: [
          plan.worksInFolder ? 'writable' : 'any',
          inputOf(plan),
          ...[plan.file, ...plan.args].map(asIs),
        ],
        workingDir: plan.worksInFolder ? plan.cwd : SCRATCH,
        // Who may look at pods reads their variables: a secret one is taken from the secret of the run.
        env: variablesOf(plan).map(([key, value]) =>
          isSecret(plan, value)
            ? { name: key, valueFrom: { secretKeyRef: { name, key } } }
            : { name: key, value: asIs(value) },
        ),
        securityContext: {
          readOnlyRootFilesystem: true,
          allowPrivilegeEscalation: false,
          capabilities: { drop: ['ALL'] },
        },
        resources: resourcesOf(podLimitsOf(plan, config)),
        volumeMounts: mounts.map(({ mount }) => mount),
      },
    ],
    volumes: mounts.map(({ volume }) => volume),
  };
}

function variablesOf(plan: Plan): (readonly [name: string, value: string])[] {
  return environmentOf(plan).map((pair) => {
    const at = pair.indexOf('=');
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
}

function isSecret({ secrets }: Pick<LaunchPlan, 'secrets'>, value: string): boolean {
  return value !== '' && secrets.includes(value);
}

/** The cluster puts the value of a variable where it reads `$(NAME)`, and `$` for `$$`. */
function asIs(text: string): string {
  return text.replaceAll('$', '$$$$');
}

function resourcesOf({ memoryMb, cpus }: RunLimits) {
  const memory = `${memoryMb}Mi`;
  return {
    limits: { memory, cpu: String(cpus), 'ephemeral-storage': DISK },
    requests: { memory, cpu: KEPT_CPU, 'ephemeral-storage': '0' },
  };
}

interface Mounted {
  readonly volume: V1Volume;
  readonly mount: V1VolumeMount;
}

function mountsOf(plan: Plan, name: string, { config }: JobOptions): Mounted[] {
  const sizeLimit = `${podLimitsOf(plan, config).memoryMb}Mi`;
  const scratch: Mounted = {
    volume: { name: 'scratch', emptyDir: { medium: 'Memory', sizeLimit } },
    mount: { name: 'scratch', mountPath: SCRATCH },
  };
  // Its only reader is the one account of the pod: a group for it would change the project's folder too.
  const launch: Mounted = {
    volume: {
      name: 'launch',
      secret: { secretName: name, defaultMode: 0o444, items: [{ key: LAUNCH_FILE, path: LAUNCH_FILE }] },
    },
    mount: { name: 'launch', mountPath: LAUNCH_FOLDER, readOnly: true },
  };
  const folder = plan.worksInFolder ? folderMount(plan.cwd, config) : undefined;
  return [scratch, ...(inputOf(plan) === 'none' ? [] : [launch]), ...(folder ? [folder] : [])];
}

/** Undefined: no volume of the cluster has it. */
export function folderMount(
  path: string,
  { claims, hostPaths }: Pick<KubernetesConfig, 'claims' | 'hostPaths'>,
): Mounted | undefined {
  // The innermost: a claim may lie in another one.
  const [claim] = claims
    .filter((one) => isInside(path, one.path))
    .toSorted((one, other) => other.path.length - one.path.length);
  if (claim) {
    const subPath = relative(claim.path, path);
    return {
      volume: { name: 'folder', persistentVolumeClaim: { claimName: claim.claim } },
      mount: { name: 'folder', mountPath: path, ...(subPath !== '' && { subPath }) },
    };
  }
  if (!hostPaths.some((one) => isInside(path, one))) return undefined;
  return {
    // A node that does not have it must not make an empty one.
    volume: { name: 'folder', hostPath: { path, type: 'Directory' } },
    mount: { name: 'folder', mountPath: path },
  };
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith('../') && !isAbsolute(way);
}

function inputOf({ stdinLine, env }: Pick<LaunchPlan, 'stdinLine' | 'env'>): 'line' | 'ticket' | 'none' {
  if (stdinLine !== undefined) return 'line';
  return env.AIZUCHI_PASSKEY === undefined ? 'none' : 'ticket';
}

function labelsOf({ runId }: Pick<LaunchPlan, 'runId'>, { instanceId }: JobOptions) {
  return { [INSTANCE_LABEL]: instanceId, [RUN_LABEL]: runId };
}
