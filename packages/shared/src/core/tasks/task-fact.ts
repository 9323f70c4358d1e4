import type { ChangeEvent } from '../../platform/change-log/change-log.ts';

/** Tells the readers of the change log that a task, or what hangs on it, has changed. */
export function taskFact(projectId: string, taskId: string): ChangeEvent {
  return { kind: 'task', projectId, ref: { taskId } };
}
