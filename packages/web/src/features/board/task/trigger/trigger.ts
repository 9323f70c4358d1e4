import type { TaskStatus } from '@aizuchi/shared/core/tasks/rules/task-status';

/** What is known when a person is about to save a task. */
export interface TriggerFacts {
  readonly status: TaskStatus;
  /** Who is assigned; undefined: nobody. */
  readonly assignee: { readonly type: 'ai' | 'human'; readonly maxParallelTasks: number } | undefined;
  /** How many tasks it waits for that are not over. */
  readonly unfinished: number;
  readonly isPaused: boolean;
  /** Whether a Coordinator is there that could start an agent; undefined: not known yet. */
  readonly hasHost: boolean | undefined;
  /** On how many other tasks the assignee works. */
  readonly busyWith: number;
}

/**
 * What saving does to the agent. `starts`: it begins; `would_start`: it begins once the task is in progress;
 * `waits_…`: it begins later, and for what it waits until then.
 */
export type Trigger =
  | 'none'
  | 'starts'
  | 'would_start'
  | 'waits_dependencies'
  | 'waits_paused'
  | 'waits_host'
  | 'waits_place';

export function triggerOf({
  status,
  assignee,
  unfinished,
  isPaused,
  hasHost,
  busyWith,
}: TriggerFacts): Trigger {
  if (assignee?.type !== 'ai') return 'none';
  if (status === 'todo' && unfinished > 0) return 'waits_dependencies';
  if (status !== 'todo' && status !== 'in_progress' && status !== 'blocked') return 'none';
  if (isPaused) return 'waits_paused';
  if (hasHost === false) return 'waits_host';
  if (busyWith >= assignee.maxParallelTasks) return 'waits_place';
  return status === 'in_progress' ? 'starts' : 'would_start';
}
