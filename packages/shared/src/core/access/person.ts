import type { AccessLevel } from '../../contract/agent.ts';
import type { ProjectStatus } from '../../contract/project.ts';
import type { Queryable, Tx } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import { currentAccessLevel, findVisibleProject, type Hearer, visibleTo } from './person-queries.ts';

export { currentAccessLevel, type Hearer };

/** The person who calls: a live agent of type human. */
export interface Person {
  readonly id: string;
  readonly name: string;
  readonly accessLevel: AccessLevel;
}

/** The project that a check has found. */
export interface ProjectRef {
  readonly id: string;
  readonly name: string;
  readonly status: ProjectStatus;
}

/**
 * Throws unless the person is an owner. Call it after the checks that give 404.
 */
export function requireOwner(person: Person): void {
  if (person.accessLevel !== 'owner') throw new AppError('forbidden', 'Only an owner may do this.');
}

/** Owners and members; viewers may only read. */
export function requireWriter(person: Person): void {
  if (person.accessLevel === 'viewer') throw new AppError('forbidden', 'A viewer may only read.');
}

/**
 * The live project, when this person may see it: owners see all, others those that they are members of. For
 * everybody else it does not exist: project_not_found.
 */
export async function requireMember(db: Queryable, person: Person, projectId: string): Promise<ProjectRef> {
  const project = await findVisibleProject(db, person, projectId);
  if (!project) throw projectNotFound();
  return { ...project, status: toProjectStatus(project.status) };
}

/**
 * The same for a writer, by the rights of this moment: for a transaction that has waited for its locks since the caller
 * was identified. @throws AppError project_not_found, forbidden
 */
export async function requireWriterNow(tx: Tx, person: Person, projectId: string): Promise<void> {
  const accessLevel = await currentAccessLevel(tx.db, person.id);
  if (accessLevel === undefined) throw projectNotFound();
  const now = { ...person, accessLevel };
  await requireMember(tx.db, now, projectId);
  requireWriter(now);
}

/** Which of these people may see which of these projects now: one read, the same rule as `requireMember`. */
export async function whoMaySee(
  db: Queryable,
  hearers: readonly Hearer[],
): Promise<(projectId: string, personId: string) => boolean> {
  if (hearers.length === 0) return () => false;
  const rows = await visibleTo(db, hearers);
  const allowed = new Set(rows.map(({ projectId, personId }) => `${projectId}/${personId}`));
  return (projectId, personId) => allowed.has(`${projectId}/${personId}`);
}

/** As `requireMember`, by the access level of this moment: for callers that were identified long before. */
export async function requireMemberNow(db: Queryable, { id }: Person, projectId: string): Promise<void> {
  const maySee = await whoMaySee(db, [{ projectId, personId: id }]);
  if (!maySee(projectId, id)) throw projectNotFound();
}

export function projectNotFound(): AppError {
  return new AppError('project_not_found', 'There is no such project, or you are not a member of it.');
}

export function projectArchived(): AppError {
  return new AppError('project_archived', 'This project is archived. Set its status to active first.');
}

/** The check constraint of the column allows no other value. */
function toProjectStatus(status: string): ProjectStatus {
  return status === 'paused' || status === 'archived' ? status : 'active';
}
