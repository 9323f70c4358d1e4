import { z } from 'zod';

/** What the manager says of a task of a service. */
export const taskSchema = z.object({
  ID: z.string(),
  ServiceID: z.string(),
  NodeID: z.string().optional(),
  DesiredState: z.string(),
  Status: z.object({
    State: z.string(),
    Err: z.string().optional(),
    ContainerStatus: z
      .object({
        ContainerID: z.string().optional(),
        PID: z.number().int().optional(),
        ExitCode: z.number().int().optional(),
      })
      .optional(),
  }),
});
export type Task = z.infer<typeof taskSchema>;

export const nodeSchema = z.object({
  ID: z.string(),
  Description: z.object({ Hostname: z.string().optional() }).optional(),
  Status: z.object({ State: z.string() }),
});

/** A moment of the swarm, as its manager sees it. */
export interface Sight {
  readonly tasks: readonly Task[];
  readonly nodes: ReadonlyMap<string, z.infer<typeof nodeSchema>>;
}

export type TaskEnd =
  | { readonly kind: 'ended'; readonly exitCode: number | undefined }
  /** It never ran. */
  | { readonly kind: 'refused'; readonly reason: string }
  /**
   * Not by its own end, and not by ours: its node was drained, or somebody changed the service. `mayLive`: the manager
   * has decided it, and no node has said that the container has ended.
   */
  | { readonly kind: 'taken-off'; readonly mayLive?: true }
  | { readonly kind: 'node-lost' }
  /** Nobody knows how: its service was removed. */
  | { readonly kind: 'gone' };

const OVER = new Set(['complete', 'failed', 'shutdown', 'rejected', 'remove', 'orphaned']);
/** Said by the manager, not by the node: the label of the node was removed, or its role has changed. */
const NOT_MEANT_FOR_NODE = /no longer meets constraints/i;
const NEVER_STARTED = /^starting container failed|no such image/i;

/** Undefined: it is not over. `stopRequested`: we have asked for its end. */
export function endOf(taskId: string, sight: Sight, stopRequested: boolean): TaskEnd | undefined {
  const task = sight.tasks.find(({ ID }) => ID === taskId);
  if (!task) return { kind: 'gone' };
  const { State, Err = '', ContainerStatus } = task.Status;
  if (!OVER.has(State)) return isNodeLost(task, sight) ? { kind: 'node-lost' } : undefined;
  if (State === 'orphaned') return { kind: 'node-lost' };
  if (State === 'rejected' && (ContainerStatus?.PID || NOT_MEANT_FOR_NODE.test(Err)))
    return { kind: 'taken-off', mayLive: true };
  if (State === 'rejected' || (State === 'failed' && NEVER_STARTED.test(Err)))
    return { kind: 'refused', reason: Err };
  if (State === 'shutdown' && !stopRequested) return { kind: 'taken-off' };
  // -1: the engine did not see the end.
  const exitCode = ContainerStatus?.ExitCode;
  return { kind: 'ended', exitCode: exitCode === -1 ? undefined : exitCode };
}

function isNodeLost({ NodeID }: Task, { nodes }: Sight): boolean {
  if (NodeID === undefined) return false;
  const node = nodes.get(NodeID);
  // While a new manager takes over, the state is unknown.
  return node === undefined || node.Status.State === 'down';
}

/** The end of a task that was seen to run: it cannot have been refused. */
export function endOfBegun(taskId: string, sight: Sight, stopRequested: boolean): TaskEnd | undefined {
  const end = endOf(taskId, sight, stopRequested);
  return end?.kind === 'refused' ? { kind: 'taken-off', mayLive: true } : end;
}

/** The task of a service of ours, when it runs or is over: also with the node that was to get it ready. */
export function begunTask(serviceId: string, sight: Sight): Task | undefined {
  const isBegun = (task: Task) =>
    task.Status.State === 'running' || endOf(task.ID, sight, false) !== undefined;
  return sight.tasks.find((task) => task.ServiceID === serviceId && isBegun(task));
}

/** The node that has the task of a service, as people call it. */
export function nodeOf(serviceId: string, sight: Sight): string | undefined {
  const task = sight.tasks.find(({ ServiceID }) => ServiceID === serviceId);
  return task?.NodeID && nodeName(task.NodeID, sight);
}

/** Why a service has not begun yet, in the words of the manager; undefined: a node has it, and gets it ready. */
export function whyWaiting(serviceId: string, { tasks }: Sight): string | undefined {
  const task = tasks.find(({ ServiceID }) => ServiceID === serviceId);
  if (task?.NodeID !== undefined) return undefined;
  return task?.Status.Err ?? 'no task yet';
}

/** As people call it. */
export function nodeName(nodeId: string | undefined, { nodes }: Pick<Sight, 'nodes'>): string {
  if (nodeId === undefined) return '–';
  return nodes.get(nodeId)?.Description?.Hostname ?? nodeId;
}
