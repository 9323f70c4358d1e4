import type {
  CreateTaskBody,
  ListTasksQuery,
  Task,
  TaskPage,
  TaskPriority,
  TaskStatus,
  UpdateTaskBody,
} from '../../contract/task.ts';
import { appendChangeEvents, type ChangeEvent } from '../../platform/changes/change-log.ts';
import { keys } from '../../platform/changes/keys.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Queryable, Tx } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { type Person, projectArchived, requireMember, requireWriter } from '../access/person.ts';
import { closesCycle } from './rules/task-graph.ts';
import { decideTaskChange, movesFrom, type TaskRefusal } from './rules/task-machine.ts';
import { TASK_STATUSES } from './rules/task-status.ts';
import { TaskQueries, type TaskRow, type TaskValues } from './task-queries.ts';

export interface TaskServiceDeps {
  readonly database: Database;
  readonly clock: Clock;
}

export interface AgentTaskQuery {
  readonly status?: readonly TaskStatus[] | undefined;
  readonly assigneeId?: string | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface AgentTaskPage {
  readonly tasks: (Task & { readonly assigneeName: string | null })[];
  /** Counts of the whole board, independent of the filter. */
  readonly counts: Readonly<Record<TaskStatus, number>>;
  readonly nextCursor: string | null;
}

export class TaskService {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(deps: TaskServiceDeps) {
    this.#database = deps.database;
    this.#clock = deps.clock;
  }

  async list(person: Person, projectId: string, query: ListTasksQuery): Promise<TaskPage> {
    await requireMember(this.#database.db, person, projectId);
    const { rows, nextCursor } = await new TaskQueries(this.#database.db).list(
      { projectId, status: query.status, assigneeId: query.assigneeId },
      query,
    );
    return { tasks: rows.map(toView), nextCursor };
  }

  /**
   * The live ones of the first `asked` of these ids, as many as fit into one answer, for readers of changes;
   * the caller has checked who may see them.
   */
  async firstByIds(
    taskIds: readonly string[],
  ): Promise<{ readonly rows: ReadonlyMap<string, Task>; readonly asked: number }> {
    const repository = new TaskQueries(this.#database.db);
    const first = await repository.firstThatFit(taskIds);
    const rows = await repository.findMany(first);
    return { rows: new Map(rows.map((row) => [row.id, toView(row)])), asked: first.length };
  }

  /** The board as an agent of the project reads it; the caller has checked that the agent is a member. */
  async listForAgent(projectId: string, query: AgentTaskQuery = {}): Promise<AgentTaskPage> {
    const repository = new TaskQueries(this.#database.db);
    const { rows, nextCursor } = await repository.list(
      { projectId, status: query.status, assigneeId: query.assigneeId },
      { limit: query.limit ?? 100, cursor: query.cursor },
    );
    const found = await repository.countByStatus(projectId);
    const counts = { backlog: 0, todo: 0, in_progress: 0, blocked: 0, done: 0, cancelled: 0 };
    for (const status of TASK_STATUSES) counts[status] = found.get(status) ?? 0;
    return { tasks: rows, counts, nextCursor };
  }

  async get(person: Person, taskId: string): Promise<Task> {
    return toView(await findVisible(this.#database.db, person, taskId));
  }

  async create(person: Person, projectId: string, body: CreateTaskBody): Promise<Task> {
    const row = await this.#database.transaction(async (tx) => {
      await requireOpenProject(tx.db, person, projectId);
      const repository = new TaskQueries(tx.db);
      if (body.assigneeId !== undefined) await requireAssignable(tx.db, projectId, body.assigneeId);
      await requireTasks(repository, projectId, [body.parentId, ...(body.dependsOn ?? [])]);
      const id = body.id ?? newId('tsk');
      // A new task closes no circle: no task can point at it yet, and it may not point at itself (404 above).
      const inserted = await repository.insert(
        {
          id,
          projectId,
          title: body.title,
          description: body.description ?? '',
          status: body.status ?? 'backlog',
          priority: body.priority ?? ('medium' satisfies TaskPriority),
          assigneeId: body.assigneeId ?? null,
          parentId: body.parentId ?? null,
          createdBy: person.id,
        },
        this.#clock.now(),
      );
      if (!inserted)
        throw new AppError('id_taken', 'This id is or was used by another task. Choose a new one.');
      await repository.replaceDependencies(id, body.dependsOn ?? []);
      await appendChangeEvents(tx, [taskFact(projectId, id)]);
      if (body.status === 'in_progress') tx.dirty(keys.work);
      return repository.find(id);
    });
    return toView(orMissing(row));
  }

  /**
   * 409 version_conflict unless `version` is the stored one; then all fields of the body or none are changed.
   */
  async update(person: Person, taskId: string, body: UpdateTaskBody): Promise<Task> {
    const row = await this.#database.transaction(async (tx) => {
      const found = await findVisible(tx.db, person, taskId);
      const { projectId } = found;
      await requireOpenProject(tx.db, person, projectId);
      if (body.assigneeId && body.assigneeId !== found.assigneeId)
        await requireAssignable(tx.db, projectId, body.assigneeId);
      const repository = new TaskQueries(tx.db);
      // Always before the task's own row: two transactions that lock in different orders would wait for each
      // other.
      if (body.dependsOn !== undefined || body.parentId) await repository.lockGraph(projectId);
      const task = orMissing(await repository.lock(taskId));
      await this.#apply(tx, repository, task, body);
      return repository.find(taskId);
    });
    return toView(orMissing(row));
  }

  async #apply(tx: Tx, repository: TaskQueries, task: TaskRow, body: UpdateTaskBody): Promise<void> {
    const { id, projectId, version } = task;
    const decision = decideTaskChange({ ...task, assigneeId: task.assigneeId ?? null }, body);
    if (!decision.ok) throw refused(decision.refusal, task, body);
    const { next, workChanged } = decision.value;
    await requireNoCycle(repository, task, body);
    const values: TaskValues = {
      status: next.status,
      assigneeId: next.assigneeId,
      ...(body.title !== undefined && { title: body.title }),
      ...(body.description !== undefined && { description: body.description }),
      ...(body.priority !== undefined && { priority: body.priority }),
      ...(body.parentId !== undefined && { parentId: body.parentId }),
    };
    if (!(await repository.update(id, version, values, this.#clock.now())))
      throw refused('version_conflict', task, body);
    if (body.dependsOn !== undefined) await repository.replaceDependencies(id, body.dependsOn);
    await appendChangeEvents(tx, [taskFact(projectId, id)]);
    if (workChanged) tx.dirty(keys.work);
  }

  async remove(person: Person, taskId: string): Promise<void> {
    await this.#database.transaction(async (tx) => {
      const { projectId } = await findVisible(tx.db, person, taskId);
      requireWriter(person);
      const repository = new TaskQueries(tx.db);
      await repository.lockGraph(projectId);
      const task = orMissing(await repository.lock(taskId));
      const changed = await repository.remove(taskId, this.#clock.now());
      await appendChangeEvents(
        tx,
        [taskId, ...changed].map((id) => taskFact(projectId, id)),
      );
      if (task.status === 'in_progress') tx.dirty(keys.work);
    });
  }
}

/** For agents that are removed: in the caller's transaction, after the membership is deleted. */
export async function unassignOpenTasks(
  tx: Tx,
  target: { agentId: string; projectId?: string | undefined },
  now: Date,
): Promise<void> {
  const tasks = await new TaskQueries(tx.db).unassignOpen(target.agentId, target.projectId, now);
  await appendChangeEvents(
    tx,
    tasks.map(({ id, projectId }) => taskFact(projectId, id)),
  );
}

function taskFact(projectId: string, taskId: string): ChangeEvent {
  return { kind: 'task', projectId, ref: { taskId } };
}

/** 404 task_not_found also for tasks of projects that the caller may not see. */
async function findVisible(db: Queryable, person: Person, taskId: string): Promise<TaskRow> {
  const task = orMissing(await new TaskQueries(db).find(taskId));
  await requireMember(db, person, task.projectId).catch((error: unknown) => {
    throw error instanceof AppError ? taskNotFound() : error;
  });
  return task;
}

async function requireOpenProject(db: Queryable, person: Person, projectId: string): Promise<void> {
  const project = await requireMember(db, person, projectId);
  requireWriter(person);
  if (project.status === 'archived') throw projectArchived();
}

/**
 * A live agent or person of the project, or an owner. Call it before the task is locked: it locks the
 * membership against removal, and a removal locks tasks after the membership.
 */
async function requireAssignable(db: Queryable, projectId: string, agentId: string): Promise<void> {
  const tasks = new TaskQueries(db);
  if ((await tasks.lockMembership(projectId, agentId)) || (await tasks.isOwner(agentId))) return;
  throw new AppError(
    'agent_not_in_project',
    'assigneeId names nobody in this project. Add the agent to the project first.',
  );
}

async function requireTasks(
  repository: TaskQueries,
  projectId: string,
  ids: readonly (string | null | undefined)[],
): Promise<void> {
  const named = ids.filter((id) => typeof id === 'string');
  const existing = await repository.existing(projectId, named);
  const missing = named.filter((id) => !existing.has(id));
  if (missing.length > 0) {
    throw new AppError('task_not_found', 'parentId and dependsOn must name tasks of this project.', {
      details: { taskIds: missing },
    });
  }
}

async function requireNoCycle(repository: TaskQueries, task: TaskRow, body: UpdateTaskBody): Promise<void> {
  await requireTasks(repository, task.projectId, [body.parentId, ...(body.dependsOn ?? [])]);
  const waits = body.dependsOn ?? [];
  const closes =
    (waits.length > 0 &&
      closesCycle(toGraph(await repository.dependencyEdges(task.projectId)), task.id, waits)) ||
    (typeof body.parentId === 'string' &&
      closesCycle(toGraph(await repository.parentEdges(task.projectId)), task.id, [body.parentId]));
  if (closes) {
    throw new AppError('dependency_cycle', 'The task would wait for itself. Take one of the links out.');
  }
}

function toGraph(edges: readonly { from: string; to: string }[]): Map<string, string[]> {
  const graph = new Map<string, string[]>();
  for (const { from, to } of edges) {
    const targets = graph.get(from);
    if (targets) targets.push(to);
    else graph.set(from, [to]);
  }
  return graph;
}

function refused(refusal: TaskRefusal, task: TaskRow, body: UpdateTaskBody): AppError {
  if (refusal === 'version_conflict') {
    return new AppError(
      'version_conflict',
      body.version === undefined
        ? 'Name the version that you have seen.'
        : 'Somebody changed this task. Read it again, then change it.',
      { details: { version: task.version } },
    );
  }
  const allowed = movesFrom(task.status);
  return new AppError(
    'invalid_status_transition',
    `A task cannot go from ${task.status} to ${body.status}. From ${task.status}: ${allowed.join(', ')}.`,
    { details: { from: task.status, to: body.status, allowed } },
  );
}

function toView({ assigneeName: _, ...task }: TaskRow): Task {
  return task;
}

function orMissing(task: TaskRow | undefined): TaskRow {
  if (!task) throw taskNotFound();
  return task;
}

function taskNotFound(): AppError {
  return new AppError('task_not_found', 'There is no such task, or you are not a member of its project.');
}
