import { sql } from 'kysely';
import type { AccessLevel } from '../../contract/agent.ts';
import type { ProjectStatus } from '../../contract/project.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';

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

/** A person and a project that he wants to hear of. */
export interface Hearer {
  readonly projectId: string;
  readonly personId: string;
}

/** Which of these people may see which of these projects now: one read, the same rule as `requireMember`. */
export async function whoMaySee(
  db: Queryable,
  hearers: readonly Hearer[],
): Promise<(projectId: string, personId: string) => boolean> {
  if (hearers.length === 0) return () => false;
  const { rows } = await sql<Hearer>`
    select w.project_id, w.person_id
    from unnest(${hearers.map(({ projectId }) => projectId)}::text[],
      ${hearers.map(({ personId }) => personId)}::text[]) as w (project_id, person_id)
    join projects p on p.id = w.project_id and p.deleted_at is null
    join agents a on a.id = w.person_id and a.type = 'human' and a.deleted_at is null
    where a.access_level = 'owner' or exists (select from project_agents m
      where m.project_id = w.project_id and m.agent_id = w.person_id)`.execute(db);
  const allowed = new Set(rows.map(({ projectId, personId }) => `${projectId}/${personId}`));
  return (projectId, personId) => allowed.has(`${projectId}/${personId}`);
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
