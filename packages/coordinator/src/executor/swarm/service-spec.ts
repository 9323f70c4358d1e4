import type { DockerConfig } from '@aizuchi/shared/platform/config/docker-config';
import type { LaunchPlan } from '../../launch/launch-plan.ts';
import {
  type BoxOptions,
  environmentOf,
  FOLDER_NOT_WRITABLE,
  INSTANCE_LABEL,
  imageOf,
  limitsOf,
  MIB,
  NO_TICKET,
  RUN_LABEL,
  SCRATCH,
  stdinOf,
} from '../docker/box.ts';

/** The exit code by which `ENTER` says that the kernel has ended a process of the run for want of memory. */
export const OUT_OF_MEMORY = 215;
/** The same for an image in which the agent could gain privileges. */
export const NO_PRIVILEGE_LOCK = 216;

/** A service has one grace, which is fixed when it is made: the shorter one that a Coordinator gives. */
export const SERVICE_GRACE_MS = 3_500;
/** No node has it: what was started ends, and its status stays readable, which a service that is removed takes along. */
export const NOWHERE = 'node.id==none';

const LAUNCH_FILE = 'aizuchi-launch';
const NANOSECONDS = 1e6;

/**
 * What begins in the container. A service has no stdin, so the line comes from its secret; a ticket in AIZUCHI_PASSKEY
 * too. The engine of a node does not tell a manager that a process was ended for want of memory, so this looks for it
 * after the end. setpriv: engines before 28 have no such setting for services. env: a program in the background of a
 * shell would ignore SIGINT.
 */
const ENTER = `[ "$1" = any ] || [ -w . ] || exit ${FOLDER_NOT_WRITABLE}
command -v setpriv >/dev/null || exit ${NO_PRIVILEGE_LOCK}
line=/run/secrets/${LAUNCH_FILE} given=/dev/null
case "$2" in
  ticket) IFS= read -r AIZUCHI_PASSKEY <$line || exit ${NO_TICKET}; export AIZUCHI_PASSKEY ;;
  line) [ -r $line ] || exit ${NO_TICKET}; given=$line ;;
esac
shift 2
env --default-signal=INT true 2>/dev/null && set -- env --default-signal=INT,QUIT "$@"
is_short() {
  for file in /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control; do
    [ -r $file ] && while read -r name count; do
      [ "$name" = oom_kill ] && [ "$count" -gt 0 ] && return 0
    done <$file
  done
  return 1
}
told=
trap 'told=1; kill -TERM $child' TERM
setpriv --no-new-privs "$@" <$given &
child=$!
wait $child
code=$?
while [ -n "$told" ]; do told=; wait $child; code=$?; done
[ $code -ne 0 ] && is_short && exit ${OUT_OF_MEMORY}
exit $code`;

export interface ServiceOptions extends BoxOptions {
  readonly config: Pick<DockerConfig, 'image' | 'network' | 'limits' | 'constraints'>;
}

/** The body of `POST /secrets/create`; undefined: the run has none. */
export function secretOf(plan: Omit<LaunchPlan, 'folder'>, name: string, options: ServiceOptions) {
  const line = stdinOf(plan);
  if (line === '') return undefined;
  return { Name: name, Labels: labelsOf(plan, options), Data: Buffer.from(line).toString('base64') };
}

/** The body of `POST /services/create`: all that an agent gets, and no more. As `boxOf`, as far as a service has it. */
export function serviceOf(
  plan: Omit<LaunchPlan, 'folder'>,
  name: string,
  secretId: string | undefined,
  options: ServiceOptions,
) {
  const { config } = options;
  const limits = limitsOf(plan, config);
  const labels = labelsOf(plan, options);
  return {
    Name: name,
    Labels: labels,
    TaskTemplate: {
      ContainerSpec: { ...containerOf(plan, name, secretId, options), Labels: labels },
      Resources: {
        Limits: {
          NanoCPUs: limits.cpus * 1e9,
          MemoryBytes: limits.memoryMb * MIB,
          Pids: limits.processes,
        },
      },
      RestartPolicy: { Condition: 'none' },
      Placement: { Constraints: config.constraints },
      // The node's own bridge when no network of the swarm is named.
      Networks: config.network === 'bridge' ? [] : [{ Target: config.network }],
      // Read from the beginning again after a connection that broke, so a node keeps it, within bounds.
      LogDriver: { Name: 'json-file', Options: { 'max-size': '200m', 'max-file': '1' } },
    },
    Mode: { Replicated: { Replicas: 1 } },
    UpdateConfig: { Parallelism: 1, Order: 'stop-first' },
    // Nobody calls a run, so it needs no address beside that of its container.
    EndpointSpec: { Mode: 'dnsrr' },
  };
}

function containerOf(
  plan: Omit<LaunchPlan, 'folder'>,
  name: string,
  secretId: string | undefined,
  { config, self }: ServiceOptions,
) {
  const { uid, gid } = plan.account ?? self;
  const folder = plan.worksInFolder ? plan.cwd : undefined;
  const file = { Name: LAUNCH_FILE, UID: String(uid), GID: String(gid), Mode: 0o400 };
  return {
    Image: imageOf(plan, config),
    User: `${uid}:${gid}`,
    Dir: folder ?? SCRATCH,
    Env: environmentOf(plan),
    Command: ['/bin/sh', '-c', ENTER, 'sh'],
    Args: [folder === undefined ? 'any' : 'writable', inputOf(plan), plan.file, ...plan.args],
    Secrets: secretId === undefined ? [] : [{ SecretID: secretId, SecretName: name, File: file }],
    // Ends what the agent leaves behind.
    Init: true,
    ReadOnly: true,
    CapabilityDrop: ['ALL'],
    StopGracePeriod: SERVICE_GRACE_MS * NANOSECONDS,
    Mounts: [
      // Engines before 28 know no options: then no program can be started there.
      { Type: 'tmpfs', Target: SCRATCH, TmpfsOptions: { Mode: 0o1777, Options: [['exec']] } },
      ...(folder === undefined ? [] : [{ Type: 'bind', Source: folder, Target: folder }]),
    ],
  };
}

function inputOf({ stdinLine, env }: Pick<LaunchPlan, 'stdinLine' | 'env'>): 'line' | 'ticket' | 'none' {
  if (stdinLine !== undefined) return 'line';
  return env.AIZUCHI_PASSKEY === undefined ? 'none' : 'ticket';
}

function labelsOf({ runId }: Pick<LaunchPlan, 'runId'>, { instanceId, coordinatorId }: ServiceOptions) {
  return { [INSTANCE_LABEL]: instanceId, [RUN_LABEL]: runId, 'aizuchi.coordinator': coordinatorId };
}
