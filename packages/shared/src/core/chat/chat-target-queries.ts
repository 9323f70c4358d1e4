import type { Queryable } from '../../platform/db/database.ts';
import type { MembershipKey } from '../rules/work-key.ts';

/** The rows behind the ids of a chat call. */
export interface ChatTargetRow {
  /** Of the project. */
  readonly status: string;
  /** null: the agent does not exist. */
  readonly type: string | null;
  /** null: the agent is not a member. */
  readonly memberId: string | null;
  /** null: the agent has no credential. */
  readonly credentialOf: string | null;
}

/** Undefined: the project does not exist. */
export function findChatTarget(db: Queryable, membership: MembershipKey): Promise<ChatTargetRow | undefined> {
  return db
    .selectFrom('projects as p')
    .leftJoin('agents as a', (join) => join.on('a.id', '=', membership.agentId).on('a.deletedAt', 'is', null))
    .leftJoin('projectAgents as pa', (join) =>
      join.onRef('pa.projectId', '=', 'p.id').onRef('pa.agentId', '=', 'a.id'),
    )
    .leftJoin('agentCredentials as c', 'c.agentId', 'a.id')
    .select(['p.status', 'a.type', 'pa.agentId as memberId', 'c.agentId as credentialOf'])
    .where('p.id', '=', membership.projectId)
    .where('p.deletedAt', 'is', null)
    .executeTakeFirst();
}

/** Includes deleted projects; undefined: the project does not exist. */
export async function projectStatus(db: Queryable, projectId: string): Promise<string | undefined> {
  const project = await db
    .selectFrom('projects')
    .select('status')
    .where('id', '=', projectId)
    .executeTakeFirst();
  return project?.status;
}

export async function hasTask(db: Queryable, projectId: string, taskId: string): Promise<boolean> {
  const task = await db
    .selectFrom('tasks')
    .select('id')
    .where('id', '=', taskId)
    .where('projectId', '=', projectId)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
  return task !== undefined;
}

/** The AI agents of a project, two at most: enough to know whether there is exactly one. */
export function firstTwoAgents(db: Queryable, projectId: string): Promise<{ id: string }[]> {
  return db
    .selectFrom('projectAgents as pa')
    .innerJoin('agents as a', 'a.id', 'pa.agentId')
    .select('a.id')
    .where('pa.projectId', '=', projectId)
    .where('a.type', '=', 'ai')
    .where('a.deletedAt', 'is', null)
    .limit(2)
    .execute();
}

/** The context of the chat begins now: the agent does not continue what it remembers from before. */
export async function setContextSince(
  db: Queryable,
  { projectId, agentId }: MembershipKey,
  now: Date,
): Promise<void> {
  await db
    .updateTable('projectAgents')
    .set({ chatContextSince: now })
    .where('projectId', '=', projectId)
    .where('agentId', '=', agentId)
    .execute();
}
