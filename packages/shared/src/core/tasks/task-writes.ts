import type { CreateTaskBody, Task, TaskPriority, UpdateTaskBody } from '../../contract/task.ts';
import { appendChangeEvents } from '../../platform/change-log/change-log.ts';
import { keys } from '../../platform/change-log/keys.ts';
import type { Queryable, Tx } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { closesCycle } from './rules/task-graph.ts';
import { changesOf, type TrackedTask } from './rules/task-history.ts';
import { decideTaskChange, movesFrom, type TaskRefusal } from './rules/task-machine.ts';
import { taskFact } from './task-fact.ts';
import { endOfColumn, placeOf } from './task-place.ts';
import { TaskQueries, type TaskRow, type TaskValues } from './task-queries.ts';
import { insertHistory } from './task-record-queries.ts';

/*
 * How a task is stored and changed, by whomever. The caller has checked who it is, and that a new assignee is of the
 * project (requireAssignable, before anything else is locked).
 */

export interface NewTaskOrder {
  readonly projectId: string;
  readonly createdBy: string;
  readonly body: CreateTaskBody;
  readonly now: Date;
}

/** @throws AppError id_taken, task_not_found */
export async function storeTask(tx: Tx, { projectId, createdBy, body, now }: NewTaskOrder): Promise<TaskRow> {
  const repository = new TaskQueries(tx.db);
  await requireTasks(repository, projectId, [body.parentId, ...(body.dependsOn ?? [])]);
  if (body.status === 'in_progress') await requireFinished(repository, body.dependsOn ?? []);
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
      labels: body.labels ?? [],
      dueDate: body.dueDate ?? null,
      position: endOfColumn(now),
      createdBy,
    },
    now,
  );
  if (!inserted) throw new AppError('id_taken', 'This id is or was used by another task. Choose a new one.');
  await repository.replaceDependencies(id, body.dependsOn ?? []);
  const changes = changesOf({}, { status: body.status ?? 'backlog' });
  await insertHistory(tx.db, { taskId: id, byId: createdBy, changes, now });
  await appendChangeEvents(
    tx,
    [id, ...parentsOf([body.parentId])].map((one) => taskFact(projectId, one)),
  );
  if (body.status === 'in_progress') tx.dirty(keys.work);
  return orMissing(await repository.find(id));
}

/** Who changes a task, and when. */
export interface ChangeOfTask {
  /** Null: the product itself. */
  readonly by: string | null;
  readonly now: Date;
}

/**
 * Such a change looks at other tasks: lockGraph first, always before the task's own row. Two transactions that lock in
 * different orders would wait for each other.
 */
export function changesGraph(body: UpdateTaskBody): boolean {
  const { dependsOn, parentId, status, after } = body;
  return dependsOn !== undefined || Boolean(parentId) || status !== undefined || after !== undefined;
}

/** Changes the locked task as the body says, or not at all. The project is locked if the body `changesGraph`. */
export async function changeTask(
  tx: Tx,
  task: TaskRow,
  body: UpdateTaskBody,
  { by, now }: ChangeOfTask,
): Promise<void> {
  const repository = new TaskQueries(tx.db);
  const { id, projectId, version } = task;
  const decision = decideTaskChange({ ...task, assigneeId: task.assigneeId ?? null }, body);
  if (!decision.ok) throw refused(decision.refusal, task, body);
  const { next, workChanged } = decision.value;
  await requireNoCycle(repository, task, body);
  const begins = next.status === 'in_progress' && task.status !== 'in_progress';
  if (begins) await requireFinished(repository, body.dependsOn ?? task.dependsOn);
  const { title, description, priority, parentId, labels, dueDate } = body;
  const named = { title, description, priority, parentId, labels, dueDate };
  const moves = next.status !== task.status;
  const values: TaskValues = {
    status: next.status,
    assigneeId: next.assigneeId,
    ...named,
    ...(body.after !== undefined
      ? {
          position: await placeOf(tx, { projectId, taskId: id, status: next.status, after: body.after, now }),
        }
      : moves && { position: endOfColumn(now) }),
  };
  if (!(await repository.update(id, version, values, now))) throw refused('version_conflict', task, body);
  if (body.dependsOn !== undefined) await repository.replaceDependencies(id, body.dependsOn);
  const after: TrackedTask = { ...named, dependsOn: body.dependsOn, ...next };
  await insertHistory(tx.db, { taskId: id, byId: by, changes: changesOf(task, after), now });
  const parents = moves || parentId !== undefined ? parentsOf([task.parentId, parentId]) : [];
  await appendChangeEvents(
    tx,
    [id, ...parents].map((one) => taskFact(projectId, one)),
  );
  if (workChanged) tx.dirty(keys.work);
}

function parentsOf(ids: readonly (string | null | undefined)[]): string[] {
  return [...new Set(ids.filter((id) => typeof id === 'string'))];
}

/** @throws AppError dependencies_unfinished. A cancelled task is waited for by nobody. */
async function requireFinished(repository: TaskQueries, dependsOn: readonly string[]): Promise<void> {
  const unfinished = await repository.unfinished(dependsOn);
  if (unfinished.length === 0) return;
  throw new AppError(
    'dependencies_unfinished',
    'Other tasks must be done first. Finish them, or take them out of dependsOn.',
    { details: { taskIds: unfinished } },
  );
}

/**
 * A live agent or person of the project, or an owner. Call it before the task is locked: it locks the
 * membership against removal, and a removal locks tasks after the membership.
 */
export async function requireAssignable(db: Queryable, projectId: string, agentId: string): Promise<void> {
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

export function toView({ assigneeName: _, ...task }: TaskRow): Task {
  return task;
}

export function orMissing(task: TaskRow | undefined): TaskRow {
  if (!task) throw taskNotFound();
  return task;
}

export function taskNotFound(): AppError {
  return new AppError('task_not_found', 'There is no such task, or you are not a member of its project.');
}
