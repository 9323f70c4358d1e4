import { z } from 'zod';

/** What the cluster says of a pod of ours. */
export const podSchema = z.object({
  metadata: z.object({
    name: z.string(),
    labels: z.record(z.string(), z.string()).optional(),
    resourceVersion: z.string().optional(),
    /** When it is to be over. */
    deletionTimestamp: z.coerce.date().nullish(),
  }),
  spec: z.object({ nodeName: z.string().optional() }),
  status: z
    .object({
      reason: z.string().optional(),
      message: z.string().optional(),
      conditions: z
        .array(
          z.object({
            type: z.string(),
            status: z.string(),
            reason: z.string().optional(),
            message: z.string().optional(),
          }),
        )
        .optional(),
      containerStatuses: z
        .array(
          z.object({
            state: z
              .object({
                waiting: z
                  .object({ reason: z.string().optional(), message: z.string().optional() })
                  .optional(),
                running: z.unknown().optional(),
                terminated: z
                  .object({
                    exitCode: z.number().int(),
                    reason: z.string().optional(),
                    message: z.string().optional(),
                  })
                  .optional(),
              })
              .optional(),
          }),
        )
        .optional(),
      phase: z.string().optional(),
    })
    .optional(),
});
export type Pod = z.infer<typeof podSchema> & {
  /** It was removed; this is what was known of it last. */
  readonly isRemoved?: true;
};

export type PodEnd =
  | { readonly kind: 'ended'; readonly exitCode: number; readonly isOutOfMemory: boolean }
  /** It never ran. `isForImage`: its image was not to be had. */
  | { readonly kind: 'refused'; readonly reason: string; readonly isForImage: boolean }
  /** Not by its own end, and not by ours: its node was drained, it was evicted, or somebody deleted it. */
  | { readonly kind: 'taken-off'; readonly reason: string }
  /** `mayLive`: it has its grace yet where the node does answer. */
  | { readonly kind: 'node-lost'; readonly mayLive: true }
  /** Nobody knows how. */
  | { readonly kind: 'gone' };

const NO_IMAGE = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'ImageInspectError',
  'RegistryUnavailable',
]);
const NOT_STARTED = new Set([
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
  'PreCreateHookError',
  'PreStartHookError',
]);
/** Of a container that has ended: its program could not be run, or nobody saw how it ended. */
const NEVER_BEGUN = new Set(['StartError', 'ContainerCannotRun']);
const UNSEEN = 'ContainerStatusUnknown';
/** Why a pod is deleted whose node has gone. */
const OF_LOST_NODE = new Set(['DeletionByTaintManager', 'DeletionByPodGC', 'NodeLost']);
/** A node that answers has ended and removed a pod by then; one that does not has the pod for ever. */
const NO_ANSWER_MS = 60_000;

const LOST: PodEnd = { kind: 'node-lost', mayLive: true };
const UNKNOWN: NonNullable<Pod['status']> = {};

interface Terminated {
  readonly exitCode: number;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

interface Asked {
  /** We have asked for its end. */
  readonly isStopping: boolean;
  readonly now: number;
}

/** Undefined: it is not over. */
export function endOfPod(pod: Pod | undefined, { isStopping, now }: Asked): PodEnd | undefined {
  if (!pod) return { kind: 'gone' };
  const { metadata, isRemoved } = pod;
  const status = pod.status ?? UNKNOWN;
  const endsAt = metadata.deletionTimestamp ?? undefined;
  const disruption = status.conditions?.find(
    ({ type, status: is }) => type === 'DisruptionTarget' && is === 'True',
  );
  const reason =
    status.message ?? disruption?.message ?? status.reason ?? disruption?.reason ?? 'it was deleted';
  const terminated = status.containerStatuses?.[0]?.state?.terminated;
  if (OF_LOST_NODE.has(disruption?.reason ?? status.reason ?? '') || terminated?.reason === UNSEEN)
    return LOST;
  const isTakenOff = disruption !== undefined || (endsAt !== undefined && !isStopping);
  if (terminated && !isTakenOff) return ofContainer(terminated);
  if (terminated || isOver(pod))
    return isTakenOff || !isRemoved ? { kind: 'taken-off', reason } : { kind: 'gone' };
  if (endsAt !== undefined && now > endsAt.getTime() + NO_ANSWER_MS) return LOST;
  return undefined;
}

function ofContainer({ exitCode, reason, message }: Terminated): PodEnd {
  if (NEVER_BEGUN.has(reason ?? ''))
    return { kind: 'refused', reason: message ?? reason ?? '', isForImage: false };
  // A run that ended well went on without the process that was killed.
  return { kind: 'ended', exitCode, isOutOfMemory: exitCode !== 0 && reason === 'OOMKilled' };
}

/** Without a container that has ended: it was evicted, or refused by its node. */
function isOver({ status, isRemoved }: Pod): boolean {
  return isRemoved === true || status?.phase === 'Failed' || status?.phase === 'Succeeded';
}

/** A pod that has not begun yet. */
export type PodBeginning =
  | { readonly kind: 'begun' }
  | { readonly kind: 'over'; readonly end: PodEnd }
  /** No node has it: why. */
  | { readonly kind: 'unplaced'; readonly reason: string }
  | { readonly kind: 'preparing' };

export function beginningOfPod(pod: Pod | undefined, now: number): PodBeginning {
  if (!pod) return { kind: 'unplaced', reason: '' };
  const end = endOfPod(pod, { isStopping: false, now }) ?? refusalOf(pod);
  if (end)
    return {
      kind: 'over',
      end: isRefusedByNode(pod, end) ? { ...end, kind: 'refused', isForImage: false } : end,
    };
  if (pod.status?.containerStatuses?.[0]?.state?.running) return { kind: 'begun' };
  const placed = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (pod.spec.nodeName === undefined) return { kind: 'unplaced', reason: placed?.message ?? '' };
  return { kind: 'preparing' };
}

function refusalOf(pod: Pod): PodEnd | undefined {
  const { reason = '', message } = pod.status?.containerStatuses?.[0]?.state?.waiting ?? {};
  if (!NO_IMAGE.has(reason) && !NOT_STARTED.has(reason)) return undefined;
  return { kind: 'refused', reason: message ?? reason, isForImage: NO_IMAGE.has(reason) };
}

/** Its node has looked at it and does not take it, such as for want of memory. */
function isRefusedByNode(pod: Pod, end: PodEnd): end is PodEnd & { readonly kind: 'taken-off' } {
  return end.kind === 'taken-off' && !pod.metadata.deletionTimestamp && pod.isRemoved !== true;
}

/** As people call it. */
export function nodeOfPod(pod: Pod | undefined): string {
  return pod?.spec.nodeName ?? '–';
}
