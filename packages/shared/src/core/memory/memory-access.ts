import type { Queryable } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import { type Person, projectNotFound, requireMember, requireWriter } from '../access/person.ts';
import { currentAccessLevel } from '../access/person-queries.ts';
import { findMemoryOwner } from './memory-access-queries.ts';
import type { MemoryScope } from './memory-scope.ts';

/** The memory that a call of a person names. */
export interface MemoryTarget {
  readonly agentId: string;
  /** Owners may leave it out: then it is the whole memory. */
  readonly projectId?: string | undefined;
}

type MemoryCall = 'reads' | 'writes' | 'erases';

/**
 * What a person may see of a memory, in the contract's order of checks: 400 without a project (for others than owners),
 * 404 project, 404 agent (also one that is in no project of the caller), 403 for viewers that write, 422
 * agent_is_human, 422 agent_not_in_project.
 */
export async function requireMemory(
  db: Queryable,
  person: Person,
  target: MemoryTarget,
  call: MemoryCall,
): Promise<MemoryScope> {
  const { agentId, projectId } = target;
  if (projectId === undefined && person.accessLevel !== 'owner') throw projectMissing();
  if (projectId !== undefined) await requireMember(db, person, projectId);
  const agent = await findMemoryOwner(db, person, { agentId, projectId });
  // What is left of an agent that is gone can be deleted, by owners.
  const mayBeGone = call === 'erases' && person.accessLevel === 'owner';
  if (!agent?.isVisible || (agent.isDeleted && !mayBeGone))
    throw new AppError('agent_not_found', 'There is no such agent.');
  if (call !== 'reads') requireWriter(person);
  if (agent.type === 'human')
    throw new AppError('agent_is_human', 'This is a person; only agents have a memory.');
  if (!agent.isInProject && !mayBeGone)
    throw new AppError('agent_not_in_project', 'This agent is not a member of the project. Add it first.');
  return { agentId, projectId };
}

/** The same by the rights of this moment: a call may have taken long before its transaction, and a stream lasts. */
export async function requireMemoryNow(
  db: Queryable,
  person: Person,
  target: MemoryTarget,
  call: MemoryCall = 'writes',
): Promise<Person> {
  const accessLevel = await currentAccessLevel(db, person.id);
  if (accessLevel === undefined) throw projectNotFound();
  const now = { ...person, accessLevel };
  await requireMemory(db, now, target, call);
  return now;
}

/** What is general is seen from every project of the agent: only owners change it. */
export function requireChangeable(person: Person, item: { readonly projectId: string | null }): void {
  if (item.projectId === null && person.accessLevel !== 'owner')
    throw new AppError('forbidden', 'This belongs to no project. Only an owner may change it.');
}

function projectMissing(): AppError {
  return new AppError('invalid_input', 'Not valid: projectId: name a project of yours.', {
    details: { issues: [{ path: 'projectId', message: 'required; only owners may leave it out' }] },
  });
}
