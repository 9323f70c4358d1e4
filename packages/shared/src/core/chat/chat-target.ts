import type { Queryable, Tx } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import {
  type Person,
  projectArchived,
  projectNotFound,
  requireMember,
  requireWriter,
} from '../access/person.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import { findChatTarget, hasTask, projectStatus } from './chat-target-queries.ts';

/** The (project, agent) that a chat call names, with the columns that the calls need. */
export interface ChatTarget {
  readonly projectId: string;
  readonly agentId: string;
  readonly projectStatus: string;
  readonly hasCredential: boolean;
}

/** What a chat call does. closes: it is for writers, but works in an archived project, too. */
export type ChatCall = 'reads' | 'closes' | 'writes';

/**
 * Resolves the membership of a chat call in the contract's order: 404 project, 404 agent, 403 for viewers unless it
 * reads, 422 agent_is_human, 422 agent_not_in_project, 409 project_archived where it writes.
 */
export async function requireChatTarget(
  db: Queryable,
  person: Person,
  membership: { projectId: string; agentId: string },
  call: ChatCall,
): Promise<ChatTarget> {
  await requireMember(db, person, membership.projectId);
  const row = await findChatTarget(db, membership);
  if (!row) throw projectNotFound();
  if (row.type === null) throw new AppError('agent_not_found', 'There is no such agent.');
  if (call !== 'reads') requireWriter(person);
  if (row.type === 'human')
    throw new AppError('agent_is_human', 'This is a person; chats are with AI agents.');
  if (row.memberId === null) throw notInProject();
  if (call === 'writes' && row.status === 'archived') throw projectArchived();
  return { ...membership, projectStatus: row.status, hasCredential: row.credentialOf !== null };
}

/**
 * Locks the membership for a change. The rows that requireChatTarget read may have been removed since; a
 * removal holds this lock too, so they cannot be removed after this check.
 */
export async function lockChatTarget(
  tx: Tx,
  membership: { projectId: string; agentId: string },
  options: { writes: boolean },
): Promise<void> {
  if (!(await new SessionQueries(tx.db).lockMembership(membership.projectId, membership.agentId)))
    throw notInProject();
  if (!options.writes) return;
  if ((await projectStatus(tx.db, membership.projectId)) === 'archived') throw projectArchived();
}

function notInProject(): AppError {
  return new AppError('agent_not_in_project', 'This agent is not a member of the project. Add it first.');
}

/**
 * A message may name only a task of its own project; the caller must not learn whether a task of another
 * project exists.
 */
export async function requireRelatedTask(db: Queryable, projectId: string, taskId: string): Promise<void> {
  if (!(await hasTask(db, projectId, taskId)))
    throw new AppError('task_not_found', 'There is no such task in this project.');
}
