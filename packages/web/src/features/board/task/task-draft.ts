import type { Task } from '@aizuchi/shared/contract/task';

/** What a person writes into the dialog of a new task. `assigneeId` is '' while nobody is assigned. */
export interface TaskDraft {
  readonly title: string;
  readonly description: string;
  readonly status: Task['status'];
  readonly priority: Task['priority'];
  readonly assigneeId: string;
}
