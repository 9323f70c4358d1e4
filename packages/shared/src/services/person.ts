import type { AccessLevel } from '../contract/agent.ts';
import type { ProjectStatus } from '../contract/project.ts';
import type { Queryable } from '../db/database.ts';
import { AppError } from '../errors.ts';

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

/** Owners only; ask it after what says 404 (contract §2, order of checks). */
export function requireOwner(person: Person): void {
  if (person.accessLevel !== 'owner') throw new AppError('forbidden', 'Only an owner may do this.');
}

/** Owners and members; viewers read only. */
export function requireWriter(person: Person): void {
  if (person.accessLevel === 'viewer') throw new AppError('forbidden', 'A viewer may only read.');
}

/**
 * The live project, when this person may see it: owners see all, others those that they are members of.
 * To everybody else it does not exist: project_not_found.
 */
export async function requireMember(db: Queryable, person: Person, projectId: string): Promise<ProjectRef> {
  let query = db
    .selectFrom('projects')
    .select(['id', 'name', 'status'])
    .where('id', '=', projectId)
    .where('deletedAt', 'is', null);
  if (person.accessLevel !== 'owner') {
    query = query.where(({ exists, selectFrom }) =>
      exists(
        selectFrom('projectAgents')
          .select('projectAgents.projectId')
          .whereRef('projectAgents.projectId', '=', 'projects.id')
          .where('projectAgents.agentId', '=', person.id),
      ),
    );
  }
  const project = await query.executeTakeFirst();
  if (!project) throw projectNotFound();
  return { ...project, status: toProjectStatus(project.status) };
}

/** Which of these people are members of which of these projects, as `project/person`; owners need not be. */
export async function membershipsAmong(
  db: Queryable,
  personIds: readonly string[],
  projectIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (personIds.length === 0 || projectIds.length === 0) return new Set();
  const rows = await db
    .selectFrom('projectAgents as pa')
    .innerJoin('projects as p', 'p.id', 'pa.projectId')
    .select(['pa.projectId', 'pa.agentId'])
    .where('pa.agentId', 'in', [...personIds])
    .where('pa.projectId', 'in', [...projectIds])
    .where('p.deletedAt', 'is', null)
    .execute();
  return new Set(rows.map(({ projectId, agentId }) => `${projectId}/${agentId}`));
}

export function projectNotFound(): AppError {
  return new AppError('project_not_found', 'There is no such project, or you are not a member of it.');
}

export function projectArchived(): AppError {
  return new AppError('project_archived', 'This project is archived. Set its status to active first.');
}

/** The column's check constraint allows nothing else. */
function toProjectStatus(status: string): ProjectStatus {
  return status === 'paused' || status === 'archived' ? status : 'active';
}
