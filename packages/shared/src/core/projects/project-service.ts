import type { AgentPage, ListAgentsQuery } from '../../contract/agent.ts';
import type { FolderList, ListFoldersQuery } from '../../contract/folder.ts';
import type {
  CreateProjectBody,
  ListProjectsQuery,
  Membership,
  Project,
  ProjectPage,
  UpdateProjectBody,
} from '../../contract/project.ts';
import { keys } from '../../platform/change-log/keys.ts';
import { isUniqueViolation, type Queryable, type Tx } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { appendAudit } from '../access/audit-queries.ts';
import { folderOverlap, type Overlap } from '../access/folder-overlap-queries.ts';
import {
  type Person,
  projectArchived,
  projectNotFound,
  requireMember,
  requireOwner,
  requireWriter,
} from '../access/person.ts';
import { currentAccessLevel } from '../access/person-queries.ts';
import { AgentQueries } from '../agents/agent-queries.ts';
import { agentView } from '../agents/agent-view.ts';
import { lockNames } from '../agents/name-lock-queries.ts';
import { requireFreeName } from '../agents/names.ts';
import type { ServiceDeps } from '../deps.ts';
import { resumeFolderStarts } from '../folders/folder-waits.ts';
import { setUpMember, tearDownMember, tearDownProject } from '../removal/remove.ts';
import type { MembershipKey } from '../rules/work-key.ts';
import { switchOffSchedulesOf } from '../schedules/switch-off-schedules.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import { pauseWork } from '../task-work/pause-work.ts';
import { requireAssignable, unassignTasks } from '../tasks/task-writes.ts';
import { listFolders, listRoots } from './list-folders.ts';
import {
  ProjectQueries,
  type ProjectValues,
  type StoredProject,
  WORKING_DIRECTORY_KEY,
} from './project-queries.ts';
import { projectView } from './project-view.ts';
import { tellOfProjects } from './tell-of-projects.ts';
import {
  checkPlace,
  discardDirectory,
  notAllowed,
  type PreparedDirectory,
  prepareDefaultDirectory,
  prepareWorkingDirectory,
} from './working-directory.ts';

export type ProjectServiceDeps = Pick<ServiceDeps, 'database' | 'config'>;

/**
 * Projects and their members. Owners create and change them; members may change name and description of
 * theirs.
 */
export class ProjectService {
  readonly #deps: ProjectServiceDeps;

  constructor(deps: ProjectServiceDeps) {
    this.#deps = deps;
  }

  async list(person: Person, query: ListProjectsQuery): Promise<ProjectPage> {
    const memberId = person.accessLevel === 'owner' ? undefined : person.id;
    const { rows, nextCursor } = await this.#projects().list({ status: query.status, memberId }, query);
    return { projects: rows.map((project) => projectView(person, project)), nextCursor };
  }

  async get(person: Person, projectId: string): Promise<Project> {
    await requireMember(this.#deps.database.db, person, projectId);
    return projectView(person, orMissing(await this.#projects().find(projectId)));
  }

  /** For choosing a working directory: what is in a folder, and why the folder itself cannot be used. */
  async listFolders(person: Person, { path, projectId }: ListFoldersQuery): Promise<FolderList> {
    requireOwner(person);
    const { config, database } = this.#deps;
    if (path === undefined) return listRoots(config);
    const list = await listFolders(path, config);
    const refusal = await refusalOf(async () => {
      await checkPlace(list.path, config);
      refuseOverlap(await folderOverlap(database.db, list.path, projectId));
    });
    return { ...list, ...(refusal && { refusal }) };
  }

  async create(person: Person, body: CreateProjectBody): Promise<StoredProject> {
    return (await this.createWith(person, body, async () => undefined)).project;
  }

  /** The same; what `fill` stores in it is stored in the same transaction. */
  async createWith<T>(
    person: Person,
    body: CreateProjectBody,
    fill: (tx: Tx, projectId: string) => Promise<T>,
  ): Promise<{ readonly project: StoredProject; readonly filled: T }> {
    requireOwner(person);
    const id = body.id ?? newId('prj');
    // Checked before a folder is made; the insert decides.
    await this.requireFreeId(id);
    const directory = await this.#prepare(body.workingDirectory, id);
    return this.#keepingDirectory(directory, async (tx) => {
      const project = await this.#insert(tx, person, id, body, directory);
      return { project, filled: await fill(tx, id) };
    });
  }

  /** @throws AppError id_taken */
  async requireFreeId(id: string): Promise<void> {
    if (await this.#projects().isKnown(id)) throw idTaken();
  }

  async #insert(
    tx: Tx,
    person: Person,
    id: string,
    body: CreateProjectBody,
    directory: PreparedDirectory,
  ): Promise<StoredProject> {
    const projects = new ProjectQueries(tx.db);
    await projects.lockDirectories();
    if (!(await projects.isKnown(id))) refuseOverlap(await folderOverlap(tx.db, directory.path));
    const inserted = await projects.insert(
      {
        id,
        name: body.name,
        description: body.description ?? null,
        workingDirectory: directory.path,
        workingDirectoryMade: directory.made,
        permissionPolicy: body.permissionPolicy ?? 'ask',
        isolation: body.isolation ?? 'shared',
        egress: body.egress ?? null,
      },
      await tx.now(),
    );
    if (!inserted) throw (await projects.isKnown(id)) ? idTaken() : directoryInUse();
    await appendAudit(tx.db, {
      actorId: person.id,
      action: 'project.created',
      targetId: id,
      projectId: id,
    });
    await tellOfProjects(tx);
    return orMissing(await projects.find(id));
  }

  async update(person: Person, projectId: string, body: UpdateProjectBody): Promise<Project> {
    await requireMember(this.#deps.database.db, person, projectId);
    requireWriter(person);
    const { name: _, description: __, ...ofOwners } = withoutUndefined(body);
    if (Object.keys(ofOwners).length > 0) requireOwner(person);
    const { workingDirectory } = body;
    if (workingDirectory === undefined)
      return this.#translated((tx) => this.#apply(tx, person, projectId, body, undefined));
    const directory = await this.#prepare(workingDirectory, projectId);
    return this.#keepingDirectory(directory, (tx) => this.#apply(tx, person, projectId, body, directory));
  }

  async #apply(
    tx: Tx,
    person: Person,
    projectId: string,
    body: UpdateProjectBody,
    directory: PreparedDirectory | undefined,
  ): Promise<Project> {
    const projects = new ProjectQueries(tx.db);
    const project = orMissing(
      await (directory || body.isolation ? projects.lockAgainstRuns(projectId) : projects.lock(projectId)),
    );
    if (body.reviewerId) await requireReviewer(tx, projectId, body.reviewerId);
    const now = await tx.now();
    const moves = directory !== undefined && directory.path !== project.workingDirectory;
    const isolates = body.isolation !== undefined && body.isolation !== project.isolation;
    if ((moves || isolates) && (await projects.hasLiveRuns(projectId))) {
      throw new AppError(
        'project_has_running_agents',
        'Agents are running in this project. End them first, then change its working directory or isolation.',
      );
    }
    const { workingDirectory: _, ...values } = withoutUndefined(body);
    const changes: ProjectValues = {
      ...values,
      ...(moves && { workingDirectory: directory.path, workingDirectoryMade: directory.made }),
    };
    const comesBack = project.status === 'archived' && (body.status ?? 'archived') !== 'archived';
    if (moves || comesBack) {
      await projects.lockDirectories();
      refuseOverlap(await folderOverlap(tx.db, directory?.path ?? project.workingDirectory, projectId));
    }
    const archives = body.status === 'archived' && project.status !== 'archived';
    if (archives) await tearDownProject(tx, projectId, now);
    await projects.update(projectId, changes, now);
    if (body.status === 'paused' && project.status === 'active') await pauseWork(tx, projectId, now);
    if (isolates) await resumeFolderStarts(tx, projectId);
    await appendAudit(tx.db, {
      actorId: person.id,
      action: 'project.changed',
      targetId: projectId,
      projectId,
      details: { fields: Object.keys(changes), ...(body.status && { status: body.status }) },
    });
    await tellOfProjects(tx);
    const isForOthers =
      body.egress !== undefined && (body.egress === null) !== (project.egress === undefined);
    if (isForOthers || (body.status !== undefined && body.status !== project.status)) tx.dirty(keys.work);
    return projectView(person, orMissing(await projects.find(projectId)));
  }

  /**
   * The deletion is soft: its tasks and messages stay in the database, its folder on the disk; its id is
   * never used again.
   */
  async remove(person: Person, projectId: string): Promise<void> {
    await requireMember(this.#deps.database.db, person, projectId);
    requireOwner(person);
    await this.#deps.database.transaction(async (tx) => {
      const projects = new ProjectQueries(tx.db);
      orMissing(await projects.lock(projectId));
      const now = await tx.now();
      await tearDownProject(tx, projectId, now);
      await projects.remove(projectId, now);
      await appendAudit(tx.db, {
        actorId: person.id,
        action: 'project.deleted',
        targetId: projectId,
        projectId,
      });
      await tellOfProjects(tx);
      tx.dirty(keys.work);
    });
  }

  async listAgents(person: Person, projectId: string, query: ListAgentsQuery): Promise<AgentPage> {
    const { db } = this.#deps.database;
    await requireMember(db, person, projectId);
    const { rows, nextCursor } = await new AgentQueries(db).list({ projectId, type: query.type }, query);
    return { agents: rows.map((agent) => agentView(person, agent)), nextCursor };
  }

  /** Idempotent. */
  async putAgent(person: Person, { projectId, agentId }: MembershipKey): Promise<Membership> {
    const { database } = this.#deps;
    await requireMember(database.db, person, projectId);
    await requireVisible(database.db, person, agentId);
    requireOwner(person);
    await database.transaction(async (tx) => {
      await lockNames(tx.db);
      const projects = new ProjectQueries(tx.db);
      // Locks both rows: neither project nor agent can be removed between the check and the insert.
      const project = orMissing(await projects.lock(projectId));
      const agent = await new AgentQueries(tx.db).lock(agentId);
      if (!agent) throw agentNotFound();
      if (project.status === 'archived') throw projectArchived();
      if (!(await projects.addMember(projectId, agentId, await tx.now()))) return;
      await requireFreeName(tx, agent, { of: 'project', projectId });
      if (agent.type === 'ai') await setUpMember(tx, { projectId, agentId });
      await appendAudit(tx.db, { actorId: person.id, action: 'member.added', targetId: agentId, projectId });
      await tellOfProjects(tx);
      tx.dirty(keys.caller(agentId));
      tx.dirty(keys.work);
    });
    return { agentId, projectId };
  }

  /** 404 agent_not_found for an agent that is not a member. */
  async removeAgent(person: Person, { projectId, agentId }: MembershipKey): Promise<void> {
    const { database } = this.#deps;
    await requireMember(database.db, person, projectId);
    await requireVisible(database.db, person, agentId);
    requireOwner(person);
    await database.transaction(async (tx) => {
      const projects = new ProjectQueries(tx.db);
      if (!(await new SessionQueries(tx.db).lockMembership(projectId, agentId))) throw agentNotFound();
      const now = await tx.now();
      await tearDownMember(tx, { projectId, agentId }, now);
      await projects.removeMember(projectId, agentId);
      await switchOffSchedulesOf(tx, agentId, now, { leaves: projectId });
      await unassignTasks(tx, { agentId, projectId, byId: person.id }, now);
      await appendAudit(tx.db, {
        actorId: person.id,
        action: 'member.removed',
        targetId: agentId,
        projectId,
      });
      await tellOfProjects(tx);
      tx.dirty(keys.caller(agentId));
      tx.dirty(keys.work);
    });
  }

  #projects(): ProjectQueries {
    return new ProjectQueries(this.#deps.database.db);
  }

  async #prepare(given: string | undefined, projectId: string): Promise<PreparedDirectory> {
    const { config } = this.#deps;
    // Checked before a folder is made; the same check in the transaction decides.
    const check = async (path: string) =>
      refuseOverlap(await folderOverlap(this.#deps.database.db, path, projectId));
    return given === undefined
      ? prepareDefaultDirectory(projectId, config, check)
      : prepareWorkingDirectory(given, config, check);
  }

  /** Removes the folder again when the work fails, unless another project has begun to use it meanwhile. */
  async #keepingDirectory<T>(directory: PreparedDirectory, work: (tx: Tx) => Promise<T>): Promise<T> {
    try {
      return await this.#translated(work);
    } catch (error) {
      if (!(await this.#projects().isDirectoryInUse(directory.path)))
        await discardDirectory(directory, this.#deps.config);
      throw error;
    }
  }

  async #translated<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    try {
      return await this.#deps.database.transaction(work);
    } catch (error) {
      throw isUniqueViolation(error, WORKING_DIRECTORY_KEY) ? directoryInUse() : error;
    }
  }
}

async function requireReviewer(tx: Tx, projectId: string, reviewerId: string): Promise<void> {
  await requireAssignable(tx.db, projectId, reviewerId, 'reviewerId');
  if ((await currentAccessLevel(tx.db, reviewerId)) === 'viewer')
    throw new AppError('invalid_input', 'reviewerId: a viewer cannot move tasks. Choose somebody else.');
}

function withoutUndefined(body: UpdateProjectBody): ProjectValues & { workingDirectory?: string } {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
}

function orMissing(project: StoredProject | undefined): StoredProject {
  if (!project) throw projectNotFound();
  return project;
}

async function requireVisible(db: Queryable, { id, accessLevel }: Person, agentId: string): Promise<void> {
  const visibleTo = accessLevel === 'owner' ? undefined : id;
  if (!(await new AgentQueries(db).find(agentId, visibleTo))) throw agentNotFound();
}

function agentNotFound(): AppError {
  return new AppError('agent_not_found', 'There is no such agent here, or you may not see it.');
}

function idTaken(): AppError {
  return new AppError('id_taken', 'This id is or was used by another project. Choose a new one.');
}

/**
 * Agents own the folder of their project: if it were inside the folder of another project, the agents of that
 * project could lead them elsewhere.
 */
async function refusalOf(check: () => Promise<void>): Promise<FolderList['refusal']> {
  try {
    await check();
    return undefined;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, details } = error;
    if (code !== 'working_directory_not_allowed' && code !== 'working_directory_in_use') throw error;
    return { code, ...(typeof details?.reason === 'string' && { reason: details.reason }) };
  }
}

function refuseOverlap(overlap: Overlap | undefined): void {
  if (overlap === 'same') throw directoryInUse();
  if (overlap === 'around') throw notAllowed('inside_used');
  if (overlap === 'inside') throw notAllowed('around_used');
}

function directoryInUse(): AppError {
  return new AppError(
    'working_directory_in_use',
    'Another project already uses this working directory. Choose another folder.',
  );
}
