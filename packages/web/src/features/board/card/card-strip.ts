import type { AgentSessionView } from '@aizuchi/shared/contract/chat';
import type { TaskStatus } from '@aizuchi/shared/core/tasks/rules/task-status';

/** The line at the bottom of a card: what its agent is doing, as far as that is known. */
export type StripKind = 'working' | 'starting' | 'waiting' | 'failed';

/** A session of the chat says nothing about the task, so "working" needs one that works on tasks. */
export function stripOf(status: TaskStatus, session: AgentSessionView | undefined): StripKind | undefined {
  if (!session || !showsRing(status)) return undefined;
  if (session.chatStatus === 'waiting_for_person') return 'waiting';
  if (status !== 'in_progress') return undefined;
  if (session.chatStatus === 'failed') return 'failed';
  if (session.chatStatus === 'starting') return 'starting';
  return session.task > 0 ? 'working' : undefined;
}

/** The agent's state matters only on a task that is being worked on. */
export function showsRing(status: TaskStatus): boolean {
  return status === 'in_progress' || status === 'blocked';
}
