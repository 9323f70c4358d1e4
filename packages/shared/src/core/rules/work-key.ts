/** What an agent is started for. */
export const PURPOSES = ['chat', 'task'] as const;
export type Purpose = (typeof PURPOSES)[number];

/** One agent in one project. */
export interface MembershipKey {
  readonly projectId: string;
  readonly agentId: string;
}

/**
 * The key of work: the chat of a membership, or one task of it. Each key has at most one wake-up and at most
 * one live session; those of different keys are independent except for the membership (trap 7).
 */
export interface WorkKey extends MembershipKey {
  readonly purpose: Purpose;
  /** Empty for a chat, and only then. */
  readonly taskId: string;
}

export function chatOf({ projectId, agentId }: MembershipKey): WorkKey {
  return { projectId, agentId, purpose: 'chat', taskId: '' };
}

/** Returns only the key of an object that contains it: the four columns that identify it in every table. */
export function workKeyOf({ projectId, agentId, purpose, taskId }: WorkKey): WorkKey {
  return { projectId, agentId, purpose, taskId };
}

export function isSameWork(one: WorkKey, other: WorkKey): boolean {
  return (
    one.projectId === other.projectId &&
    one.agentId === other.agentId &&
    one.purpose === other.purpose &&
    one.taskId === other.taskId
  );
}

/** For logs and the names of sweep rows. */
export function nameOfWork({ projectId, agentId, purpose, taskId }: WorkKey): string {
  const membership = `${projectId}/${agentId}`;
  return purpose === 'chat' ? membership : `${membership}/${taskId}`;
}
