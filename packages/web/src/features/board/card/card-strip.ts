import type { AgentSessionView } from '@aizuchi/shared/contract/chat';
import type { TaskStatus } from '@aizuchi/shared/core/tasks/rules/task-status';

/** The one line at the foot of a card: what its agent does, as far as that is known. */
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

/** Where nobody works on it, its agent's state is no news. */
export function showsRing(status: TaskStatus): boolean {
  return status === 'in_progress' || status === 'blocked';
}
