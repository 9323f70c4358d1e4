import type { TaskStatus } from '@aizuchi/shared/core/tasks/rules/task-status';

/** Everything that the built-in agent can say, complete in each language by this type. */
export interface BuiltinTexts {
  readonly hello: string;
  readonly thanks: string;
  readonly identity: (name: string) => string;
  readonly capabilities: string;
  readonly cannot: string;
  /** The files that came with a message. */
  readonly received: (files: readonly string[]) => string;
  readonly cannotRead: string;
  readonly quote: (excerpt: string) => string;
  readonly emptyBoard: string;
  readonly total: (count: number) => string;
  readonly statusNames: Readonly<Record<TaskStatus, string>>;
  readonly statusCount: (status: string, count: number) => string;
  readonly inProgressHeading: string;
  readonly blockedHeading: string;
  readonly nothingInProgress: string;
  readonly task: (title: string, assignee: string | null) => string;
  readonly more: (count: number) => string;
}
